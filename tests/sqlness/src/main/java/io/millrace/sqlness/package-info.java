@NullMarked
package io.millrace.sqlness;

import org.jspecify.annotations.NullMarked;
