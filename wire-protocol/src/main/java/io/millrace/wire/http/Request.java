package io.millrace.wire.http;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/**
 * A whole request.
 *
 * @param refused the status to refuse it with, null if it is sound; the connection ends then
 */
record Request(HttpRequest head, byte[] body, @Nullable HttpResponseStatus refused) {}
