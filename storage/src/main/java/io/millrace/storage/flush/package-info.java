/** When and how memory becomes files. */
@NullMarked
package io.millrace.storage.flush;

import org.jspecify.annotations.NullMarked;
