/** The rules of the design, checked against the compiled classes. */
@NullMarked
package io.millrace.architecture;

import org.jspecify.annotations.NullMarked;
