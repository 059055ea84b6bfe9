package io.millrace.wire.pg;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.wire.Backend;
import io.millrace.wire.ColumnInfo;
import io.millrace.wire.Formats;
import io.millrace.wire.Notice;
import io.millrace.wire.RowEncoder;
import io.millrace.wire.TransactionStatus;
import io.millrace.wire.net.Outlet;
import io.millrace.wire.pg.codec.BackendMessages;
import io.millrace.wire.pg.codec.PgRowEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/*
 * Messages become bytes in a sink on the thread that answers; at 64 KiB, at ReadyForQuery and at a
 * flush the bytes go into a pooled direct buffer and to the outlet, so that the loop only writes.
 *
 * The sink belongs to whoever answers at the moment: the session's thread, or the loop itself for
 * trivial statements; the session hands over between them, so the sink needs no lock. An ending
 * that the loop decides on (abort) therefore does not touch the sink.
 */
final class PgBackend implements Backend {
  private static final int CHUNK = 64 << 10;
  private static final int KEEP = 16 << 10;
  private static final int SLICE = 1 << 20;

  private final Channel channel;
  private final Outlet outlet;
  private final Map<String, String> reported = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private ByteSink sink = new ByteSink(512);

  PgBackend(Channel channel, Outlet outlet) {
    this.channel = channel;
    this.outlet = outlet;
  }

  private ByteSink out() {
    if (sink.position() >= CHUNK) {
      handOn(false);
    }
    return sink;
  }

  private void handOn(boolean last) {
    int n = sink.position();
    if (n == 0 || outlet.closed()) {
      sink.clear();
    } else if (n <= SLICE) {
      ByteBuf bytes = channel.alloc().directBuffer(n, n);
      bytes.writeBytes(sink.array(), 0, n);
      sink.clear();
      send(bytes, n, last);
    } else {
      byte[] array = sink.array();
      sink = new ByteSink(512);
      for (int at = 0; at < n; at += SLICE) {
        int length = Math.min(SLICE, n - at);
        send(Unpooled.wrappedBuffer(array, at, length), length, last && at + length == n);
      }
    }
  }

  private void send(ByteBuf bytes, int size, boolean last) {
    if (last) {
      outlet.sendLast(bytes, size);
    } else {
      outlet.send(bytes, size);
    }
  }

  /** Ends the connection with a FATAL error, on the loop, whoever is answering. */
  void abort(MillraceException error) {
    var message = new ByteSink(256);
    BackendMessages.error(message, "FATAL", error);
    outlet.abort(Unpooled.wrappedBuffer(message.toByteArray()), message.position());
  }

  void authentication(int code, byte[] data) {
    BackendMessages.authentication(out(), code, data);
  }

  void negotiateProtocolVersion(List<String> unknownOptions) {
    BackendMessages.negotiateProtocolVersion(out(), unknownOptions);
  }

  void backendKeyData(int processId, int secret) {
    BackendMessages.backendKeyData(out(), processId, secret);
  }

  /** Sends a setting unless one of that name has been told. */
  void defaultStatus(String name, String value) {
    if (!reported.containsKey(name)) {
      parameterStatus(name, value);
    }
  }

  // --- messages

  @Override
  public void parseComplete() {
    BackendMessages.parseComplete(out());
  }

  @Override
  public void bindComplete() {
    BackendMessages.bindComplete(out());
  }

  @Override
  public void closeComplete() {
    BackendMessages.closeComplete(out());
  }

  @Override
  public void parameterDescription(int[] oids) {
    BackendMessages.parameterDescription(out(), oids);
  }

  @Override
  public void rowDescription(List<ColumnInfo> columns, Formats formats) {
    BackendMessages.rowDescription(out(), columns, formats);
  }

  @Override
  public void noData() {
    BackendMessages.noData(out());
  }

  @Override
  public RowEncoder rowEncoder(List<SqlType> types, Formats formats, SessionFormat format) {
    return new PgRowEncoder(types, formats, format);
  }

  @Override
  public int dataRows(RowEncoder encoder, Batch batch, int from, int count) {
    if (outlet.closed()) {
      return count;
    }
    var rows = (PgRowEncoder) encoder;
    rows.batch(batch);
    rows.sinkEmptied();
    for (int i = 0; i < count; i++) {
      if (sink.position() >= CHUNK) {
        handOn(false);
        rows.sinkEmptied();
        if (i > 0 && !ready()) {
          return i;
        }
      }
      rows.row(from + i, sink);
    }
    return count;
  }

  @Override
  public void commandComplete(String tag) {
    BackendMessages.commandComplete(out(), tag);
  }

  @Override
  public void portalSuspended() {
    BackendMessages.portalSuspended(out());
  }

  @Override
  public void emptyQueryResponse() {
    BackendMessages.emptyQueryResponse(out());
  }

  @Override
  public void error(MillraceException error) {
    BackendMessages.error(out(), "ERROR", error);
  }

  @Override
  public void fatal(MillraceException error) {
    BackendMessages.error(out(), "FATAL", error);
    handOn(true);
  }

  @Override
  public void notice(Notice notice) {
    BackendMessages.notice(out(), notice);
  }

  @Override
  public void parameterStatus(String name, String value) {
    if (!value.equals(reported.put(name, value))) {
      BackendMessages.parameterStatus(out(), name, value);
    }
  }

  @Override
  public void notification(int processId, String channelName, String payload) {
    BackendMessages.notification(out(), processId, channelName, payload);
  }

  @Override
  public void readyForQuery(TransactionStatus status) {
    BackendMessages.readyForQuery(out(), status);
    handOn(false);
    if (sink.array().length > KEEP) {
      sink = new ByteSink(512);
    }
  }

  @Override
  public void copyInResponse(int columns, boolean binary) {
    BackendMessages.copyInResponse(out(), columns, binary);
    handOn(false);
  }

  @Override
  public void copyOutResponse(int columns, boolean binary) {
    BackendMessages.copyOutResponse(out(), columns, binary);
  }

  @Override
  public int copyOutRows(byte[] data, int[] ends, int from, int count) {
    if (outlet.closed()) {
      return count;
    }
    for (int i = 0; i < count; i++) {
      if (sink.position() >= CHUNK) {
        handOn(false);
        if (i > 0 && !ready()) {
          return i;
        }
      }
      int row = from + i;
      int start = row == 0 ? 0 : ends[row - 1];
      BackendMessages.copyData(sink, data, start, ends[row] - start);
    }
    return count;
  }

  @Override
  public void copyOutData(byte[] data, int offset, int length) {
    BackendMessages.copyData(out(), data, offset, length);
  }

  @Override
  public void copyDone() {
    BackendMessages.copyDone(out());
  }

  @Override
  public void flush() {
    handOn(false);
  }

  @Override
  public boolean ready() {
    return outlet.ready();
  }

  @Override
  public boolean closed() {
    return outlet.closed();
  }

  @Override
  public void pauseReading() {
    outlet.pauseReading();
  }

  @Override
  public void resumeReading() {
    outlet.resumeReading();
  }
}
