package io.millrace.wire.http;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.ErrorCode;
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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * The answer to one statement as one JSON object:
 *
 *   {"columns":[{"name":…,"type":…}…],"rows":[[…]…],"tag":"SELECT 1"}
 *   {"error":{"sqlstate":…,"message":…}}
 *
 * The first 64 KiB are kept back: an error before that is answered with a status of its own and
 * nothing else. After that the response is chunked with status 200, and an error becomes a member
 * behind the rows. The outlet's window holds a fast query back as it does for the other protocol.
 */
final class HttpBackend implements Backend {
  private static final int CHUNK = 64 << 10;

  private final Outlet outlet;
  private final boolean keepAlive;
  private final Runnable finished;
  private final boolean takesCopy;
  private final Runnable copyIn;
  private final List<Notice> notices = new ArrayList<>();
  private ByteSink sink = new ByteSink(1024);
  private boolean streaming;
  private boolean rowsOpen;
  private boolean anyRow;
  private @Nullable String tag;
  private @Nullable MillraceException error;

  /**
   * @param finished run on the loop when the response has been handed on
   * @param takesCopy whether the request has data for a COPY
   * @param copyIn run on the loop when the statement turns out to be a COPY: sends or refuses
   */
  HttpBackend(
      Outlet outlet, boolean keepAlive, Runnable finished, boolean takesCopy, Runnable copyIn) {
    this.outlet = outlet;
    this.keepAlive = keepAlive;
    this.finished = finished;
    this.takesCopy = takesCopy;
    this.copyIn = copyIn;
  }

  @Override
  public void rowDescription(List<ColumnInfo> columns, Formats formats) {
    if (rowsOpen) {
      return;
    }
    rowsOpen = true;
    sink.putText("{\"columns\":[");
    for (int i = 0; i < columns.size(); i++) {
      sink.putText(i == 0 ? "{" : ",{");
      Json.member(sink, "name", columns.get(i).name(), true);
      Json.member(sink, "type", columns.get(i).type().sqlName(), false);
      sink.put('}');
    }
    sink.putText("],\"rows\":[");
  }

  @Override
  public RowEncoder rowEncoder(List<SqlType> types, Formats formats, SessionFormat format) {
    return new JsonRowEncoder(types, format);
  }

  @Override
  public int dataRows(RowEncoder encoder, Batch batch, int from, int count) {
    if (outlet.closed()) {
      return count;
    }
    var rows = (JsonRowEncoder) encoder;
    for (int i = 0; i < count; i++) {
      if (sink.position() >= CHUNK) {
        handOn();
        if (i > 0 && !ready()) {
          return i;
        }
      }
      int start = sink.position();
      try {
        if (anyRow) {
          sink.put(',');
        }
        rows.row(batch, from + i, sink);
        anyRow = true;
      } catch (RuntimeException e) {
        sink.position(start);
        throw e;
      }
    }
    return count;
  }

  private void handOn() {
    if (!streaming) {
      streaming = true;
      var head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      headers(head);
      outlet.send(head, 0);
    }
    int n = sink.position();
    outlet.send(new DefaultHttpContent(copy()), n);
  }

  private ByteBuf copy() {
    ByteBuf bytes = Unpooled.copiedBuffer(sink.array(), 0, sink.position());
    sink.clear();
    return bytes;
  }

  private void headers(HttpResponse response) {
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
    if (!keepAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  @Override
  public void commandComplete(String commandTag) {
    tag = commandTag;
  }

  @Override
  public void emptyQueryResponse() {
    tag = "";
  }

  @Override
  public void error(MillraceException e) {
    if (error == null) {
      error = e;
    }
  }

  @Override
  public void fatal(MillraceException e) {
    error(e);
    finish(true);
  }

  @Override
  public void notice(Notice notice) {
    notices.add(notice);
  }

  @Override
  public void readyForQuery(TransactionStatus status) {
    if (tag != null || error != null) {
      finish(!keepAlive);
    }
  }

  private void finish(boolean close) {
    MillraceException e = error;
    HttpResponseStatus status = HttpResponseStatus.OK;
    if (e != null && !streaming) {
      status = status(e.code());
      sink.clear();
      sink.put('{');
      Json.error(sink, e);
    } else {
      sink.putText(rowsOpen ? "]," : "{\"columns\":[],\"rows\":[],");
      if (e != null) {
        Json.error(sink, e);
      } else {
        Json.member(sink, "tag", tag == null ? "" : tag, true);
      }
    }
    writeNotices();
    sink.putText("}\n");
    int n = sink.position();
    Object last;
    if (streaming) {
      last = new DefaultLastHttpContent(copy());
    } else {
      var whole = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, copy());
      whole.headers().set(HttpHeaderNames.CONTENT_LENGTH, n);
      headers(whole);
      last = whole;
    }
    sink = new ByteSink(16);
    if (close) {
      outlet.sendLast(last, n);
    } else {
      outlet.send(last, n);
    }
    outlet.execute(finished);
  }

  private void writeNotices() {
    if (notices.isEmpty()) {
      return;
    }
    sink.putText(",\"notices\":[");
    for (int i = 0; i < notices.size(); i++) {
      Notice notice = notices.get(i);
      sink.putText(i == 0 ? "{" : ",{");
      Json.member(sink, "severity", notice.severity().name(), true);
      Json.member(sink, "sqlstate", notice.code().sqlState(), false);
      Json.member(sink, "message", notice.message(), false);
      Json.member(sink, "detail", notice.detail(), false);
      Json.member(sink, "hint", notice.hint(), false);
      sink.put('}');
    }
    sink.put(']');
  }

  private static HttpResponseStatus status(ErrorCode code) {
    return switch (code) {
      case INVALID_PASSWORD, INVALID_AUTHORIZATION_SPECIFICATION -> HttpResponseStatus.UNAUTHORIZED;
      case INSUFFICIENT_PRIVILEGE -> HttpResponseStatus.FORBIDDEN;
      default ->
          switch (code.errorClass()) {
            case USER -> HttpResponseStatus.BAD_REQUEST;
            case RESOURCE, UNAVAILABLE -> HttpResponseStatus.SERVICE_UNAVAILABLE;
            case CORRUPT, BUG -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
          };
    };
  }

  private static MillraceException noCopy() {
    return new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED,
        "COPY from or to the client needs a connection of PostgreSQL's protocol");
  }

  @Override
  public void copyInResponse(int columns, boolean binary) {
    if (!takesCopy) {
      error(noCopy());
    }
    outlet.execute(copyIn);
  }

  @Override
  public void copyOutResponse(int columns, boolean binary) {
    error(noCopy());
  }

  @Override
  public int copyOutRows(byte[] data, int[] ends, int from, int count) {
    return count;
  }

  @Override
  public void copyOutData(byte[] data, int offset, int length) {}

  @Override
  public void copyDone() {}

  @Override
  public void parseComplete() {}

  @Override
  public void bindComplete() {}

  @Override
  public void closeComplete() {}

  @Override
  public void parameterDescription(int[] oids) {}

  @Override
  public void noData() {}

  @Override
  public void portalSuspended() {}

  @Override
  public void parameterStatus(String name, String value) {}

  @Override
  public void notification(int processId, String channelName, String payload) {}

  @Override
  public void flush() {}

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
