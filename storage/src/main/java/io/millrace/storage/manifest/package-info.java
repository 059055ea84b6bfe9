/** What files and facts make up a region. */
@NullMarked
package io.millrace.storage.manifest;

import org.jspecify.annotations.NullMarked;
