@NullMarked
package io.millrace.sql.physical;

import org.jspecify.annotations.NullMarked;
