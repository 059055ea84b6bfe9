@NullMarked
package io.millrace.storage.meter;

import org.jspecify.annotations.NullMarked;
