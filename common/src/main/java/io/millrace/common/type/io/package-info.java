@NullMarked
package io.millrace.common.type.io;

import org.jspecify.annotations.NullMarked;
