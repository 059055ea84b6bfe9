@NullMarked
package io.millrace.common.copy;

import org.jspecify.annotations.NullMarked;
