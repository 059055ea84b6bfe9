/** Flow tasks: windows, dirty ranges, evaluation, cadence. */
@NullMarked
package io.millrace.flow.batching;

import org.jspecify.annotations.NullMarked;
