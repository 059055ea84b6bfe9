@NullMarked
package io.millrace.common.time;

import org.jspecify.annotations.NullMarked;
