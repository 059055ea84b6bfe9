package io.millrace.wire;

import io.millrace.common.batch.Batch;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import java.util.List;

/**
 * The way back to the client: one method per message. Callable from any thread, the loop included,
 * but by one at a time (the session hands over from thread to thread); messages go out in the order
 * of the calls. They are encoded on the calling thread and handed to the loop when a chunk of 64
 * KiB is full, at {@link #readyForQuery}, {@link #flush} and {@link #copyInResponse}. Once the
 * client is gone all of it does nothing.
 *
 * <p>{@link #ready}, {@link #closed}, {@link #pauseReading} and {@link #resumeReading} may be
 * called by anybody at any time.
 */
public interface Backend {
  void parseComplete();

  void bindComplete();

  void closeComplete();

  void parameterDescription(int[] oids);

  void rowDescription(List<ColumnInfo> columns, Formats formats);

  void noData();

  /** Makes the encoder of a result's rows: once per portal, kept by it, for this backend only. */
  RowEncoder rowEncoder(List<SqlType> types, Formats formats, SessionFormat format);

  /**
   * Encodes and sends rows [from, from + count) of a batch until the window closes.
   *
   * @return the number of rows taken, at least 1 if count > 0: offer the rest when {@link #ready}
   * @throws MillraceException if a value has no such form, or a row is too long; rows before it
   *     have been sent
   */
  int dataRows(RowEncoder encoder, Batch batch, int from, int count);

  void commandComplete(String tag);

  void portalSuspended();

  void emptyQueryResponse();

  /** ErrorResponse with severity ERROR. */
  void error(MillraceException error);

  /** ErrorResponse with severity FATAL, then closes the connection. */
  void fatal(MillraceException error);

  void notice(Notice notice);

  /** ParameterStatus, sent only if the value is not the one sent last. */
  void parameterStatus(String name, String value);

  void notification(int processId, String channel, String payload);

  /** ReadyForQuery, and flushes. */
  void readyForQuery(TransactionStatus status);

  /** CopyInResponse, and flushes. */
  void copyInResponse(int columns, boolean binary);

  void copyOutResponse(int columns, boolean binary);

  /**
   * Sends rows of COPY data, a message each, until the window closes. Row i is data[i == 0 ? 0 :
   * ends[i - 1], ends[i]).
   *
   * @return the number of rows taken, at least 1 if count > 0
   */
  int copyOutRows(byte[] data, int[] ends, int from, int count);

  /** Sends COPY data as one message. */
  void copyOutData(byte[] data, int offset, int length);

  /** CopyDone. */
  void copyDone();

  /** Hands everything that is encoded to the loop. */
  void flush();

  /**
   * Whether more may be sent: false when 512 KiB are unsent, true again below 128 KiB, when {@link
   * WireSession#windowOpened} is called. Who waits for that must look here once more after making
   * itself known. Always true once the client is gone.
   */
  boolean ready();

  /** Whether the client is gone. */
  boolean closed();

  /** Stop reading from the client (its inbox is full); messages already read still come. */
  void pauseReading();

  void resumeReading();
}
