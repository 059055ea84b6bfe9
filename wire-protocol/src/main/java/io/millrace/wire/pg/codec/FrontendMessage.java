package io.millrace.wire.pg.codec;

import io.millrace.common.error.MillraceException;
import io.millrace.wire.Formats;
import io.millrace.wire.RawParameters;
import java.util.List;
import java.util.Map;

/** What a client can say. */
public sealed interface FrontendMessage {
  /** Asks for TLS; answered by one byte. */
  record SslRequest() implements FrontendMessage {}

  /** Asks for GSSAPI encryption; answered by one byte. */
  record GssEncRequest() implements FrontendMessage {}

  /** Cancel the statement of another connection. */
  record CancelRequest(int processId, int secret) implements FrontendMessage {}

  /**
   * The start of a session.
   *
   * @param parameters the pairs as given, protocol options left out
   * @param protocolOptions names of the {@code _pq_.} options asked for
   */
  record Startup(int minorVersion, Map<String, String> parameters, List<String> protocolOptions)
      implements FrontendMessage {}

  /** An answer to the authentication's question. */
  record Password(byte[] body) implements FrontendMessage {}

  record Query(String sql) implements FrontendMessage {}

  record Parse(String name, String sql, int[] parameterOids) implements FrontendMessage {}

  record Bind(String portal, String statement, RawParameters parameters, Formats resultFormats)
      implements FrontendMessage {}

  record Describe(boolean statement, String name) implements FrontendMessage {}

  record Execute(String portal, int maxRows) implements FrontendMessage {}

  record Close(boolean statement, String name) implements FrontendMessage {}

  record Flush() implements FrontendMessage {}

  record Sync() implements FrontendMessage {}

  /** COPY data, its first {@code length} bytes: of many messages, or a part of a long one. */
  record CopyData(byte[] data, int length) implements FrontendMessage {}

  record CopyDone() implements FrontendMessage {}

  record CopyFail(String message) implements FrontendMessage {}

  record Terminate() implements FrontendMessage {}

  /** A message of that kind which cannot be used; the connection lives on. */
  record Bad(char kind, MillraceException error) implements FrontendMessage {}

  /** The bytes make no sense any more: the last message of a connection. */
  record Broken(MillraceException error) implements FrontendMessage {}
}
