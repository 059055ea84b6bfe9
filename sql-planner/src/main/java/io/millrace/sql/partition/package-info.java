/** How the rows of a table are spread over its regions. */
@NullMarked
package io.millrace.sql.partition;

import org.jspecify.annotations.NullMarked;
