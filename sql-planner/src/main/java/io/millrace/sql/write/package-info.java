@NullMarked
package io.millrace.sql.write;

import org.jspecify.annotations.NullMarked;
