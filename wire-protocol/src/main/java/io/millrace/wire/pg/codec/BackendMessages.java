package io.millrace.wire.pg.codec;

import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.wire.ColumnInfo;
import io.millrace.wire.Formats;
import io.millrace.wire.Notice;
import io.millrace.wire.TransactionStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages of the server to bytes, pure: each method appends one whole message. */
public final class BackendMessages {
  private BackendMessages() {}

  /** An array's modifier is its elements'. */
  private static int modifier(SqlType type) {
    return type.element() == null ? type.typmod() : type.elementType().typmod();
  }

  private static int begin(ByteSink out, char kind) {
    out.put(kind);
    int at = out.position();
    out.putInt(0);
    return at;
  }

  private static void end(ByteSink out, int at) {
    out.setInt(at, out.position() - at);
  }

  private static void empty(ByteSink out, char kind) {
    out.put(kind);
    out.putInt(4);
  }

  /** A zero-terminated string; zero bytes inside would break the message and are left out. */
  private static void string(ByteSink out, String s) {
    out.putText(s.indexOf('\0') < 0 ? s : s.replace("\0", ""));
    out.put(0);
  }

  /** AuthenticationOk (0, no data) and the questions of the other methods. */
  public static void authentication(ByteSink out, int code, byte[] data) {
    int at = begin(out, 'R');
    out.putInt(code);
    out.putBytes(data);
    end(out, at);
  }

  /** NegotiateProtocolVersion: the newest version spoken and the options not understood. */
  public static void negotiateProtocolVersion(ByteSink out, List<String> unknownOptions) {
    int at = begin(out, 'v');
    out.putInt(3 << 16);
    out.putInt(unknownOptions.size());
    for (String option : unknownOptions) {
      string(out, option);
    }
    end(out, at);
  }

  public static void backendKeyData(ByteSink out, int processId, int secret) {
    out.put('K');
    out.putInt(12);
    out.putInt(processId);
    out.putInt(secret);
  }

  public static void parameterStatus(ByteSink out, String name, String value) {
    int at = begin(out, 'S');
    string(out, name);
    string(out, value);
    end(out, at);
  }

  public static void readyForQuery(ByteSink out, TransactionStatus status) {
    out.put('Z');
    out.putInt(5);
    out.put(status.code());
  }

  public static void parseComplete(ByteSink out) {
    empty(out, '1');
  }

  public static void bindComplete(ByteSink out) {
    empty(out, '2');
  }

  public static void closeComplete(ByteSink out) {
    empty(out, '3');
  }

  public static void noData(ByteSink out) {
    empty(out, 'n');
  }

  public static void portalSuspended(ByteSink out) {
    empty(out, 's');
  }

  public static void emptyQueryResponse(ByteSink out) {
    empty(out, 'I');
  }

  public static void copyDone(ByteSink out) {
    empty(out, 'c');
  }

  public static void parameterDescription(ByteSink out, int[] oids) {
    int at = begin(out, 't');
    out.putShort(oids.length);
    for (int oid : oids) {
      out.putInt(oid);
    }
    end(out, at);
  }

  public static void rowDescription(ByteSink out, List<ColumnInfo> columns, Formats formats) {
    int at = begin(out, 'T');
    out.putShort(columns.size());
    for (int i = 0; i < columns.size(); i++) {
      ColumnInfo column = columns.get(i);
      SqlType type = column.type();
      string(out, column.name());
      out.putInt(column.tableOid());
      out.putShort(column.attributeNumber());
      out.putInt(type.oid());
      out.putShort(type.typlen());
      out.putInt(modifier(type));
      out.putShort(formats.binary(i) ? 1 : 0);
    }
    end(out, at);
  }

  public static void commandComplete(ByteSink out, String tag) {
    int at = begin(out, 'C');
    string(out, tag);
    end(out, at);
  }

  public static void copyInResponse(ByteSink out, int columns, boolean binary) {
    copyResponse(out, 'G', columns, binary);
  }

  public static void copyOutResponse(ByteSink out, int columns, boolean binary) {
    copyResponse(out, 'H', columns, binary);
  }

  private static void copyResponse(ByteSink out, char kind, int columns, boolean binary) {
    int at = begin(out, kind);
    int format = binary ? 1 : 0;
    out.put(format);
    out.putShort(columns);
    for (int i = 0; i < columns; i++) {
      out.putShort(format);
    }
    end(out, at);
  }

  public static void copyData(ByteSink out, byte[] data, int offset, int length) {
    out.put('d');
    out.putInt(length + 4);
    out.putBytes(data, offset, length);
  }

  public static void notification(ByteSink out, int processId, String channel, String payload) {
    int at = begin(out, 'A');
    out.putInt(processId);
    string(out, channel);
    string(out, payload);
    end(out, at);
  }

  /** ErrorResponse; severity is ERROR or FATAL. */
  public static void error(ByteSink out, String severity, MillraceException e) {
    int at = begin(out, 'E');
    field(out, 'S', severity);
    field(out, 'V', severity);
    field(out, 'C', e.sqlState());
    field(out, 'M', e.message());
    field(out, 'D', e.detail());
    field(out, 'H', e.hint());
    if (e.position() > 0) {
      field(out, 'P', Integer.toString(e.position()));
    }
    field(out, 'W', e.where());
    field(out, 's', e.schema());
    field(out, 't', e.table());
    field(out, 'c', e.column());
    field(out, 'n', e.constraint());
    out.put(0);
    end(out, at);
  }

  public static void notice(ByteSink out, Notice notice) {
    int at = begin(out, 'N');
    field(out, 'S', notice.severity().name());
    field(out, 'V', notice.severity().name());
    field(out, 'C', notice.code().sqlState());
    field(out, 'M', notice.message());
    field(out, 'D', notice.detail());
    field(out, 'H', notice.hint());
    if (notice.position() > 0) {
      field(out, 'P', Integer.toString(notice.position()));
    }
    out.put(0);
    end(out, at);
  }

  private static void field(ByteSink out, char kind, @Nullable String value) {
    if (value != null) {
      out.put(kind);
      string(out, value);
    }
  }
}
