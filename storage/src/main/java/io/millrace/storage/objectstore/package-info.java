/** The door to stored files: SSTs and manifests. */
@NullMarked
package io.millrace.storage.objectstore;

import org.jspecify.annotations.NullMarked;
