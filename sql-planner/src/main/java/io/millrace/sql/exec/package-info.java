@NullMarked
package io.millrace.sql.exec;

import org.jspecify.annotations.NullMarked;
