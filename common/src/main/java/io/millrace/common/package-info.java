@NullMarked
package io.millrace.common;

import org.jspecify.annotations.NullMarked;
