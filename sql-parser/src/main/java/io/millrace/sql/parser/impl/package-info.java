/**
 * The parser that JavaCC generates from Calcite's template and our productions, and its door to
 * code by hand.
 */
package io.millrace.sql.parser.impl;
