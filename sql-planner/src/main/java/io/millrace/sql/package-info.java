@NullMarked
package io.millrace.sql;

import org.jspecify.annotations.NullMarked;
