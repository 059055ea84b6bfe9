/**
 * The parser that JavaCC generates from Calcite's template and our productions, and its door to
 * code by hand.
 */
@NullMarked
package io.millrace.sql.parser.impl;

import org.jspecify.annotations.NullMarked;
