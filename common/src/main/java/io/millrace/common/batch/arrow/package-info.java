/** Arrow's streaming format to and from batches. */
@NullMarked
package io.millrace.common.batch.arrow;

import org.jspecify.annotations.NullMarked;
