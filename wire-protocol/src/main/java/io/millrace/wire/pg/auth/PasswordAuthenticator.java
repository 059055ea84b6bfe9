package io.millrace.wire.pg.auth;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.time.Clock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Asks for passwords, by SCRAM unless told otherwise. As long as nobody has a password, clients on
 * this machine are let in without, and others are not let in.
 */
public final class PasswordAuthenticator implements Authenticator {
  /** How passwords travel. */
  public enum Method {
    /** SCRAM-SHA-256; MD5 for users whose password is kept so. */
    SCRAM,
    /** In clear text, over TLS only. */
    CLEAR
  }

  private final Credentials credentials;
  private final Method method;
  private final Clock clock;
  private final RandomGenerator random;
  private final byte[] salts = new byte[32];

  /**
   * @param random cryptographically strong
   */
  public PasswordAuthenticator(
      Credentials credentials, Method method, Clock clock, RandomGenerator random) {
    this.credentials = credentials;
    this.method = method;
    this.clock = clock;
    this.random = random;
    random.nextBytes(salts);
  }

  @Override
  public Exchange begin(String user, String database, Peer peer) {
    if (!credentials.anySecret()) {
      if (!peer.loopback()) {
        throw new MillraceException(
                ErrorCode.INVALID_AUTHORIZATION_SPECIFICATION,
                "clients from other machines need a password, and no user has one")
            .withHint(
                "On the server's machine: ALTER USER millrace PASSWORD '…', or set auth.method to"
                    + " \"trust\".");
      }
      return _ -> new Step.Accepted();
    }
    Credentials.Login login = credentials.find(user);
    boolean usable = login != null && login.mayLogin() && valid(login);
    Secret secret = login == null ? null : login.secret();
    MillraceException refusal =
        new MillraceException(
            ErrorCode.INVALID_PASSWORD, "password authentication failed for user \"" + user + "\"");
    if (method == Method.CLEAR) {
      return clear(user, peer, usable ? secret : null, refusal);
    }
    if (secret instanceof Secret.Md5 m) {
      return md5(m, usable, refusal);
    }
    boolean known = usable && secret != null;
    Secret.Scram scram = secret instanceof Secret.Scram s ? s : madeUp(user);
    return new ScramExchange(scram, known, peer.certificate(), random, refusal);
  }

  private boolean valid(Credentials.Login login) {
    return clock.wallMicros() < login.validUntilMicros();
  }

  /** A secret for somebody unknown: the same salt each time, and keys that nothing leads to. */
  private Secret.Scram madeUp(String user) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(salts, "HmacSHA256"));
      byte[] salt = Arrays.copyOf(mac.doFinal(user.getBytes(StandardCharsets.UTF_8)), 16);
      byte[] key = new byte[32];
      random.nextBytes(key);
      return new Secret.Scram(Secret.ITERATIONS, salt, key, key);
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Exchange clear(
      String user, Peer peer, @Nullable Secret secret, MillraceException refusal) {
    if (!peer.encrypted() && !peer.loopback()) {
      throw new MillraceException(
              ErrorCode.INVALID_AUTHORIZATION_SPECIFICATION,
              "passwords in clear text are taken over TLS only")
          .withHint("Connect with sslmode=require.");
    }
    return answer -> {
      if (answer == null) {
        return new Step.Ask(3, new byte[0], true);
      }
      if (secret == null || !secret.matches(user, text(answer))) {
        throw refusal;
      }
      return new Step.Accepted();
    };
  }

  private Exchange md5(Secret.Md5 secret, boolean usable, MillraceException refusal) {
    byte[] salt = new byte[4];
    random.nextBytes(salt);
    return answer -> {
      if (answer == null) {
        return new Step.Ask(5, salt, true);
      }
      if (!secret.answers(salt, text(answer)) || !usable) {
        throw refusal;
      }
      return new Step.Accepted();
    };
  }

  /** The text of a password message, which ends with a zero byte. */
  private static String text(byte[] answer) {
    int end = 0;
    while (end < answer.length && answer[end] != 0) {
      end++;
    }
    if (end != answer.length - 1 || end == 0) {
      throw end == 0 && answer.length == 1
          ? new MillraceException(ErrorCode.INVALID_PASSWORD, "empty password returned by client")
          : new MillraceException(ErrorCode.PROTOCOL_VIOLATION, "invalid password packet size");
    }
    return new String(answer, 0, end, StandardCharsets.UTF_8);
  }
}
