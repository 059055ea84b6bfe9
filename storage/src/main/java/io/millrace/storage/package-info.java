/** The region engine's door: everything that other modules may use of it. */
@NullMarked
package io.millrace.storage;

import org.jspecify.annotations.NullMarked;
