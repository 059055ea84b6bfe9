/**
 * Bytes and messages of PostgreSQL's protocol 3.0, pure: {@link
 * io.millrace.wire.pg.codec.FrontendDecoder} frames, {@link
 * io.millrace.wire.pg.codec.BackendMessages} writes.
 */
@NullMarked
package io.millrace.wire.pg.codec;

import org.jspecify.annotations.NullMarked;
