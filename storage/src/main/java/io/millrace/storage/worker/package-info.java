/** The owners of regions: admission and application of commits. */
@NullMarked
package io.millrace.storage.worker;

import org.jspecify.annotations.NullMarked;
