/** Tests of the engine through its door. */
@NullMarked
package io.millrace.storage.engine;

import org.jspecify.annotations.NullMarked;
