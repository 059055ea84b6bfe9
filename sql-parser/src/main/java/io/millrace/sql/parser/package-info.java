@NullMarked
package io.millrace.sql.parser;

import org.jspecify.annotations.NullMarked;
