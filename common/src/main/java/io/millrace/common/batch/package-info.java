@NullMarked
package io.millrace.common.batch;

import org.jspecify.annotations.NullMarked;
