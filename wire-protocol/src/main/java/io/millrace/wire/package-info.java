/**
 * The door between the protocols and the sessions: {@link io.millrace.wire.SessionHandler} opens a
 * {@link io.millrace.wire.WireSession}, which receives messages, and answers through a {@link
 * io.millrace.wire.Backend}. Knows no SQL.
 */
@NullMarked
package io.millrace.wire;

import org.jspecify.annotations.NullMarked;
