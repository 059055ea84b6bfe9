@NullMarked
package io.millrace.flow.batching;

import org.jspecify.annotations.NullMarked;
