@NullMarked
package io.millrace.wire;

import org.jspecify.annotations.NullMarked;
