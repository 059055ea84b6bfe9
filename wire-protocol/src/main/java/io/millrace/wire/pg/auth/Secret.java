package io.millrace.wire.pg.auth;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a password, in PostgreSQL's forms of {@code rolpassword}: {@code
 * SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey} (RFC 5802), or {@code md5} with 32 hex digits
 * for old clients.
 */
public sealed interface Secret {
  /** Iterations for new SCRAM secrets, PostgreSQL's number. */
  int ITERATIONS = 4096;

  /** The text to be stored; {@link #parse} reads it. */
  String text();

  /** Whether a password is the one. */
  boolean matches(String user, String password);

  /** A SCRAM secret. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record Scram(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) implements Secret {
    private static final String PREFIX = "SCRAM-SHA-256$";

    static Scram of(String password, byte[] salt, int iterations) {
      byte[] salted =
          ScramFunctions.saltedPassword(
              ScramMechanism.SCRAM_SHA_256,
              StringPreparation.POSTGRESQL_PREPARATION,
              password.toCharArray(),
              salt,
              iterations);
      byte[] clientKey = ScramFunctions.clientKey(ScramMechanism.SCRAM_SHA_256, salted);
      return new Scram(
          iterations,
          salt,
          ScramFunctions.storedKey(ScramMechanism.SCRAM_SHA_256, clientKey),
          ScramFunctions.serverKey(ScramMechanism.SCRAM_SHA_256, salted));
    }

    @Override
    public String text() {
      Base64.Encoder b = Base64.getEncoder();
      return PREFIX
          + iterations
          + ':'
          + b.encodeToString(salt)
          + '$'
          + b.encodeToString(storedKey)
          + ':'
          + b.encodeToString(serverKey);
    }

    @Override
    public boolean matches(String user, String password) {
      return MessageDigest.isEqual(of(password, salt, iterations).storedKey, storedKey);
    }

    private static @Nullable Scram read(String text) {
      String[] parts = text.substring(PREFIX.length()).split("[:$]", -1);
      if (parts.length != 4) {
        return null;
      }
      try {
        Base64.Decoder b = Base64.getDecoder();
        var s =
            new Scram(
                Integer.parseInt(parts[0]),
                b.decode(parts[1]),
                b.decode(parts[2]),
                b.decode(parts[3]));
        return s.iterations > 0 && s.storedKey.length == 32 && s.serverKey.length == 32 ? s : null;
      } catch (IllegalArgumentException _) {
        return null;
      }
    }
  }

  /** MD5 of password and user. */
  record Md5(String hex) implements Secret {
    static Md5 of(String user, String password) {
      return new Md5(hash((password + user).getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public String text() {
      return "md5" + hex;
    }

    @Override
    public boolean matches(String user, String password) {
      return same(of(user, password).hex, hex);
    }

    /** Whether a client has answered a challenge rightly. */
    boolean answers(byte[] salt, String answer) {
      byte[] known = hex.getBytes(StandardCharsets.US_ASCII);
      byte[] all = Arrays.copyOf(known, known.length + salt.length);
      System.arraycopy(salt, 0, all, known.length, salt.length);
      return same("md5" + hash(all), answer);
    }

    private static boolean same(String a, String b) {
      return MessageDigest.isEqual(
          a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(byte[] bytes) {
      try {
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** A secret of a new password. */
  static Secret scram(String password, RandomGenerator random) {
    byte[] salt = new byte[16];
    random.nextBytes(salt);
    return Scram.of(password, salt, ITERATIONS);
  }

  /** A secret for clients that know no SCRAM. */
  static Secret md5(String user, String password) {
    return Md5.of(user, password);
  }

  /** A stored text; null if it is none, but a password itself. */
  static @Nullable Secret parse(String text) {
    if (text.startsWith(Scram.PREFIX)) {
      return Scram.read(text);
    }
    if (text.length() == 35 && text.startsWith("md5")) {
      String hex = text.substring(3);
      return hex.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f')
          ? new Md5(hex)
          : null;
    }
    return null;
  }
}
