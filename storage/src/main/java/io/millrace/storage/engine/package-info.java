/** Puts the parts together behind the door. */
@NullMarked
package io.millrace.storage.engine;

import org.jspecify.annotations.NullMarked;
