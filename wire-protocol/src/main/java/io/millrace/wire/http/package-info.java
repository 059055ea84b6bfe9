/**
 * The HTTP listener: health, metrics and SQL as JSON; the door is {@link
 * io.millrace.wire.http.HttpServer}.
 */
@NullMarked
package io.millrace.wire.http;

import org.jspecify.annotations.NullMarked;
