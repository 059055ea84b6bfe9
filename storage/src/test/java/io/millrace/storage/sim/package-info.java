/** A machine of one thread whose disk fails and forgets, for tests of the engine. */
@NullMarked
package io.millrace.storage.sim;

import org.jspecify.annotations.NullMarked;
