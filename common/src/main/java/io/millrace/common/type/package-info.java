@NullMarked
package io.millrace.common.type;

import org.jspecify.annotations.NullMarked;
