package io.millrace.wire.pg.auth;

import org.jspecify.annotations.Nullable;

/** Whom the server knows. Called on event loops, so nothing here may wait. */
public interface Credentials {
  /**
   * A user.
   *
   * @param secret how a password is checked ({@link Secret}); null if none is set
   * @param mayLogin false for roles that are only for others to be in
   * @param validUntilMicros when the password ends, in microseconds of the epoch
   */
  record Login(@Nullable Secret secret, boolean mayLogin, long validUntilMicros) {}

  /** A user by name; null if there is none. */
  @Nullable Login find(String user);

  /** Whether anybody has a password. */
  boolean anySecret();
}
