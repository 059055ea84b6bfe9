@NullMarked
package io.millrace.common.id;

import org.jspecify.annotations.NullMarked;
