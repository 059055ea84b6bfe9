package io.millrace.wire.pg.auth;

import io.millrace.common.error.MillraceException;
import org.jspecify.annotations.Nullable;

/** Decides who may come in. Called on event loops, so nothing here may wait. */
public interface Authenticator {
  /**
   * Begins the exchange with a client.
   *
   * @throws MillraceException to refuse it
   */
  Exchange begin(String user, String database, Peer peer);

  /** The conversation with one client. */
  interface Exchange {
    /**
     * The server's next step.
     *
     * @param answer the client's last answer, the body of its message; null at the beginning
     * @throws MillraceException to refuse the client (28P01, 28000)
     */
    Step next(byte @Nullable [] answer);
  }

  /** What the server does next. */
  sealed interface Step {
    /**
     * An authentication request: its code (3 clear text, 5 MD5, 10 to 12 SASL) and data.
     *
     * @param answered whether the client answers it
     */
    record Ask(int code, byte[] data, boolean answered) implements Step {}

    /** The client is let in. */
    record Accepted() implements Step {}
  }
}
