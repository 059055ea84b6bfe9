/** The server for PostgreSQL's protocol; the door is {@link io.millrace.wire.pg.PgServer}. */
@NullMarked
package io.millrace.wire.pg;

import org.jspecify.annotations.NullMarked;
