package io.millrace.server.session;

import io.millrace.common.error.MillraceException;
import io.millrace.wire.Formats;
import io.millrace.wire.RawParameters;

/** A message of the client in a session's inbox. */
sealed interface InboxMessage {
  /** Bytes held, about, for the inbox's limit. */
  default long size() {
    return 64;
  }

  record SimpleQuery(String sql) implements InboxMessage {
    @Override
    public long size() {
      return 64L + sql.length();
    }
  }

  record Parse(String name, String sql, int[] parameterOids) implements InboxMessage {
    @Override
    public long size() {
      return 64L + sql.length();
    }
  }

  record Bind(String portal, String statement, RawParameters parameters, Formats formats)
      implements InboxMessage {
    @Override
    public long size() {
      return 64L + parameters.bytes().length;
    }
  }

  record DescribeStatement(String name) implements InboxMessage {}

  record DescribePortal(String name) implements InboxMessage {}

  record Execute(String portal, int maxRows) implements InboxMessage {}

  record CloseStatement(String name) implements InboxMessage {}

  record ClosePortal(String name) implements InboxMessage {}

  record Flush() implements InboxMessage {}

  record Sync() implements InboxMessage {}

  record CopyData(byte[] data, int offset, int length) implements InboxMessage {
    @Override
    public long size() {
      return 64L + length;
    }
  }

  record CopyDone() implements InboxMessage {}

  record CopyFail(String message) implements InboxMessage {}

  record Bad(char kind, MillraceException error) implements InboxMessage {}
}
