/** Tests of the commit path's parts. */
@NullMarked
package io.millrace.storage.commit;

import org.jspecify.annotations.NullMarked;
