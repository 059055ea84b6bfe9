package io.millrace.wire;

import io.millrace.common.error.MillraceException;

/**
 * One client's session as the protocol sees it. Every method is called on the connection's event
 * loop, in the order in which the messages came, and returns at once: a session puts messages in
 * its inbox, or answers a trivial one right there. The order of answers, and skipping to Sync after
 * an error, are the session's job.
 *
 * <p>{@link #cancel}, {@link #shutdown}, {@link #windowOpened} and {@link #disconnected} bypass the
 * inbox.
 */
public interface WireSession {
  /** A simple Query; ends with ReadyForQuery whatever happens. */
  void query(String sql);

  /**
   * Parse.
   *
   * @param name the statement's name, empty for the unnamed one
   * @param parameterOids types given by the client, 0 = infer; may be shorter than the parameters
   */
  void parse(String name, String sql, int[] parameterOids);

  /** Bind. The parameters' bytes are the session's from now on. */
  void bind(String portal, String statement, RawParameters parameters, Formats resultFormats);

  void describeStatement(String name);

  void describePortal(String name);

  /**
   * Execute.
   *
   * @param maxRows rows after which the portal is suspended; 0 = all
   */
  void execute(String portal, int maxRows);

  void closeStatement(String name);

  void closePortal(String name);

  void flush();

  void sync();

  /**
   * A piece of COPY data, cut anywhere. The array is the session's from now on. This, {@link
   * #copyDone} and {@link #copyFail} may still come after a COPY has failed: then they are ignored.
   */
  void copyData(byte[] data, int offset, int length);

  void copyDone();

  /** The client gives its COPY up. */
  void copyFail(String message);

  /**
   * A message that cannot be used: too long (its bytes have been skipped), malformed, or of a kind
   * that is not served. Answered by the error; after {@code 'Q'} (Query) and {@code 'F'} (function
   * call) by ReadyForQuery too, after {@code 'd'} the COPY has failed, else everything up to Sync
   * is skipped.
   *
   * @param kind the message's type byte
   */
  void badMessage(char kind, MillraceException error);

  /** {@link Backend#ready} is true again. */
  void windowOpened();

  /** Cancel the running statement (57014), if there is one. */
  void cancel();

  /**
   * The server is going down: finish the running statement or transaction's statement, then {@link
   * Backend#fatal} with 57P01; at once if nothing runs. After the grace period {@link #cancel} and
   * at last {@link #disconnected} follow.
   */
  void shutdown();

  /**
   * The client said Terminate or went away: stop the statement and release everything. Called
   * exactly once; nothing is called after it.
   */
  void disconnected();
}
