package io.millrace.wire.pg.auth;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.util.TlsServerEndpoint;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.wire.pg.auth.Authenticator.Step;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/*
 * SCRAM-SHA-256 and, over TLS, SCRAM-SHA-256-PLUS (RFC 5802, 7677, 5929), as PostgreSQL frames it:
 *
 *   server  10  mechanisms
 *   client      mechanism, "n,,n=*,r=<client nonce>"            (or y,, or p=tls-server-end-point,,)
 *   server  11  "r=<client nonce><server nonce>,s=<salt>,i=<iterations>"
 *   client      "c=<channel binding>,r=<both nonces>,p=<proof>"
 *   server  12  "v=<server signature>"
 *
 * The name in the client's first message is not looked at: the start-up message has it. Who is not
 * known gets a salt of its own, always the same, and fails at the proof as with a wrong password.
 */
/** One SCRAM conversation. */
final class ScramExchange implements Authenticator.Exchange {
  private static final String PLAIN = "SCRAM-SHA-256";
  private static final String PLUS = "SCRAM-SHA-256-PLUS";
  private static final String BINDING = "p=" + TlsServerEndpoint.TLS_SERVER_END_POINT;
  private static final int NONCE_BYTES = 18;

  private enum State {
    BEGIN,
    FIRST,
    FINAL,
    DONE
  }

  private final Secret.Scram secret;
  private final MillraceException refusal;
  private final boolean known;
  private final @Nullable X509Certificate certificate;
  private final String serverNonce;
  private State state = State.BEGIN;
  private String header = "";
  private String clientFirst = "";
  private String serverFirst = "";
  private String nonce = "";

  /**
   * @param known false for a made-up secret, which no proof may pass
   * @param refusal thrown where the password is wrong
   */
  ScramExchange(
      Secret.Scram secret,
      boolean known,
      @Nullable X509Certificate certificate,
      RandomGenerator random,
      MillraceException refusal) {
    this.secret = secret;
    this.known = known;
    this.certificate = certificate;
    this.refusal = refusal;
    byte[] bytes = new byte[NONCE_BYTES];
    random.nextBytes(bytes);
    this.serverNonce = Base64.getEncoder().encodeToString(bytes);
  }

  @Override
  public Step next(byte @Nullable [] answer) {
    return switch (state) {
      case BEGIN -> {
        state = State.FIRST;
        String mechanisms = (certificate == null ? "" : PLUS + "\0") + PLAIN + "\0\0";
        yield new Step.Ask(10, bytes(mechanisms), true);
      }
      case FIRST -> {
        state = State.FINAL;
        yield first(needed(answer));
      }
      case FINAL -> {
        state = State.DONE;
        yield last(new String(needed(answer), StandardCharsets.UTF_8));
      }
      case DONE -> new Step.Accepted();
    };
  }

  private static byte[] needed(byte @Nullable [] answer) {
    if (answer == null) {
      throw malformed("The message is missing.");
    }
    return answer;
  }

  private static byte[] bytes(String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  private static MillraceException malformed(String detail) {
    return new MillraceException(ErrorCode.PROTOCOL_VIOLATION, "malformed SCRAM message")
        .withDetail(detail);
  }

  private Step first(byte[] body) {
    int end = 0;
    while (end < body.length && body[end] != 0) {
      end++;
    }
    String mechanism = new String(body, 0, end, StandardCharsets.UTF_8);
    boolean plus = mechanism.equals(PLUS) && certificate != null;
    if (!plus && !mechanism.equals(PLAIN)) {
      throw new MillraceException(
          ErrorCode.PROTOCOL_VIOLATION, "client selected an invalid SASL authentication mechanism");
    }
    if (body.length < end + 5) {
      throw malformed("The client's first message is missing.");
    }
    int length = ByteBuffer.wrap(body, end + 1, 4).getInt();
    if (length != body.length - end - 5) {
      throw malformed("Message length does not match input length.");
    }
    String message = new String(body, end + 5, length, StandardCharsets.UTF_8);
    int comma = message.indexOf(',');
    int second = comma < 0 ? -1 : message.indexOf(',', comma + 1);
    if (second < 0) {
      throw malformed("The GS2 header is not complete.");
    }
    checkBinding(message.substring(0, comma), plus);
    if (second > comma + 1) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED,
          "client uses authorization identity, but it is not supported");
    }
    header = message.substring(0, second + 1);
    clientFirst = message.substring(second + 1);
    String clientNonce = attribute(clientFirst, 1, 'r');
    nonce = clientNonce + serverNonce;
    serverFirst =
        "r="
            + nonce
            + ",s="
            + Base64.getEncoder().encodeToString(secret.salt())
            + ",i="
            + secret.iterations();
    return new Step.Ask(11, bytes(serverFirst), true);
  }

  private void checkBinding(String flag, boolean plus) {
    boolean right =
        switch (flag) {
          case "n" -> !plus;
          case "y" -> {
            if (certificate != null) {
              // Somebody between the two has taken the stronger mechanism from the offer.
              throw new MillraceException(
                      ErrorCode.INVALID_AUTHORIZATION_SPECIFICATION,
                      "SCRAM channel binding negotiation error")
                  .withDetail(
                      "The client supports SCRAM channel binding but thinks the server does not. "
                          + "However, this server does support channel binding.");
            }
            yield !plus;
          }
          default -> plus && flag.equals(BINDING);
        };
    if (!right) {
      throw malformed("The channel binding does not go with the mechanism.");
    }
  }

  /** The value of an attribute at a place of a comma-separated list. */
  private static String attribute(String list, int place, char name) {
    String[] parts = list.split(",", -1);
    if (parts.length <= place || !parts[place].startsWith(name + "=")) {
      throw malformed("Expected attribute \"" + name + "\".");
    }
    return parts[place].substring(2);
  }

  private Step last(String message) {
    int proofAt = message.lastIndexOf(",p=");
    if (proofAt < 0) {
      throw malformed("Expected attribute \"p\".");
    }
    String withoutProof = message.substring(0, proofAt);
    byte[] proof = decoded(message.substring(proofAt + 3));
    if (!MessageDigest.isEqual(decoded(attribute(withoutProof, 0, 'c')), binding())) {
      throw new MillraceException(
          ErrorCode.INVALID_AUTHORIZATION_SPECIFICATION, "SCRAM channel binding check failed");
    }
    if (!attribute(withoutProof, 1, 'r').equals(nonce)) {
      throw malformed("Nonce does not match.");
    }
    String auth = clientFirst + "," + serverFirst + "," + withoutProof;
    boolean right =
        proof.length == secret.storedKey().length
            && ScramFunctions.verifyClientProof(
                ScramMechanism.SCRAM_SHA_256, proof, secret.storedKey(), auth);
    if (!right || !known) {
      throw refusal;
    }
    byte[] signature =
        ScramFunctions.serverSignature(ScramMechanism.SCRAM_SHA_256, secret.serverKey(), auth);
    return new Step.Ask(12, bytes("v=" + Base64.getEncoder().encodeToString(signature)), false);
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException _) {
      throw malformed("A value is not valid base64.");
    }
  }

  /** The GS2 header and, with channel binding, the hash of our certificate. */
  private byte[] binding() {
    byte[] gs2 = bytes(header);
    X509Certificate c = certificate;
    if (c == null || !header.startsWith("p=")) {
      return gs2;
    }
    try {
      byte[] hash = TlsServerEndpoint.getChannelBindingData(c);
      return ByteBuffer.allocate(gs2.length + hash.length).put(gs2).put(hash).array();
    } catch (CertificateEncodingException e) {
      throw new MillraceException(
          ErrorCode.INTERNAL_ERROR, "the server's certificate cannot be encoded", e);
    }
  }
}
