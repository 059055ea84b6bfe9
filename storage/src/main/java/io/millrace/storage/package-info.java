@NullMarked
package io.millrace.storage;

import org.jspecify.annotations.NullMarked;
