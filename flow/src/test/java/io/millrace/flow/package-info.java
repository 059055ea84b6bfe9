@NullMarked
package io.millrace.flow;

import org.jspecify.annotations.NullMarked;
