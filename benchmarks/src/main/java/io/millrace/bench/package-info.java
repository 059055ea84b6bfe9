@NullMarked
package io.millrace.bench;

import org.jspecify.annotations.NullMarked;
