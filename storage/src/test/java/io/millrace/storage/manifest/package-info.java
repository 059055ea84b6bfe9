/** Tests of the manifest. */
@NullMarked
package io.millrace.storage.manifest;

import org.jspecify.annotations.NullMarked;
