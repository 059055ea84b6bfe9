@NullMarked
package io.millrace.common.unit;

import org.jspecify.annotations.NullMarked;
