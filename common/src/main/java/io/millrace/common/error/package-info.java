@NullMarked
package io.millrace.common.error;

import org.jspecify.annotations.NullMarked;
