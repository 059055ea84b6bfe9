package io.millrace.wire.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.time.SystemClock;
import io.millrace.wire.EchoSession;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.net.Tls;
import io.millrace.wire.pg.auth.Credentials;
import io.millrace.wire.pg.auth.PasswordAuthenticator;
import io.millrace.wire.pg.auth.PasswordAuthenticator.Method;
import io.millrace.wire.pg.auth.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Passwords and TLS, with the real driver. */
@Timeout(60)
class LoginTest {
  @TempDir Path folder;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, Credentials.Login> users = new HashMap<>();
  private final Credentials credentials =
      new Credentials() {
        @Override
        public Login find(String user) {
          return users.get(user);
        }

        @Override
        public boolean anySecret() {
          return users.values().stream().anyMatch(l -> l.secret() != null);
        }
      };
  private PgServer server;

  private void start(Method method, Tls tls, boolean required) {
    server =
        PgServer.start(
            PgConfig.of("127.0.0.1", 0).withTls(tls, required),
            new EchoSession.Handler(),
            new PasswordAuthenticator(credentials, method, new SystemClock(), random),
            new ProcessIds());
  }

  private Tls tls(String name) throws Exception {
    Certificates c = Certificates.make(folder, name);
    return Tls.of(c.certificate(), c.key());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void user(String name, Secret secret) {
    users.put(name, new Credentials.Login(secret, true, Long.MAX_VALUE));
  }

  private Connection connect(String user, String password, String options) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:"
            + server.port()
            + "/millrace?user="
            + user
            + "&password="
            + password
            + options);
  }

  private void comesIn(String user, String password, String options) throws SQLException {
    try (Connection c = connect(user, password, options)) {
      assertThat(c.isValid(5)).isTrue();
    }
  }

  private void isRefused(String user, String password, String options, String state) {
    assertThatThrownBy(() -> connect(user, password, options).close())
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo(state));
  }

  @Test
  void nobodyNeedsAPasswordOnThisMachineUntilSomebodyHasOne() throws SQLException {
    start(Method.SCRAM, null, false);
    comesIn("anybody", "", "");
    user("ann", Secret.scram("right", random));
    isRefused("anybody", "right", "", "28P01");
    isRefused("ann", "wrong", "", "28P01");
    comesIn("ann", "right", "");
  }

  @Test
  void allFormsOfKeptPasswordsAreChecked() throws SQLException {
    user("scram", Secret.scram("pässwörd \u212b", random));
    user("md5", Secret.md5("md5", "old"));
    start(Method.SCRAM, null, false);
    comesIn("scram", "p%C3%A4ssw%C3%B6rd%20%E2%84%AB", "");
    comesIn("md5", "old", "");
    isRefused("md5", "wrong", "", "28P01");
    for (Secret s : List.of(Secret.scram("x", random), Secret.md5("u", "x"))) {
      assertThat(Secret.parse(s.text()).text()).isEqualTo(s.text());
      assertThat(Secret.parse(s.text()).matches("u", "x")).isTrue();
      assertThat(Secret.parse(s.text()).matches("u", "y")).isFalse();
    }
    assertThat(Secret.parse("just a password")).isNull();
    assertThat(Secret.parse("SCRAM-SHA-256$4096:AAAA$BBBB:CCCC")).isNull();
  }

  /** The password and salt of RFC 7677's example, in PostgreSQL's form. */
  @Test
  void secretsInPostgresFormAreTaken() throws SQLException {
    user(
        "pg",
        Secret.parse(
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="
                + ":wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="));
    start(Method.SCRAM, null, false);
    comesIn("pg", "pencil", "");
    isRefused("pg", "pencil2", "", "28P01");
  }

  @Test
  void rolesThatMayNotLoginAndPasswordsThatEndedAreRefused() {
    Secret s = Secret.scram("right", random);
    users.put("group", new Credentials.Login(s, false, Long.MAX_VALUE));
    users.put("late", new Credentials.Login(s, true, 1));
    users.put("none", new Credentials.Login(null, true, Long.MAX_VALUE));
    start(Method.SCRAM, null, false);
    isRefused("group", "right", "", "28P01");
    isRefused("late", "right", "", "28P01");
    isRefused("none", "right", "", "28P01");
  }

  @Test
  void tlsCarriesTheSessionAndBindsThePasswordToTheCertificate() throws Exception {
    user("ann", Secret.scram("right", random));
    start(Method.SCRAM, tls("one"), false);
    comesIn("ann", "right", "&sslmode=require&channelBinding=require");
    comesIn("ann", "right", "&sslmode=disable");
    isRefused("ann", "wrong", "&sslmode=require&channelBinding=require", "28P01");
    Path root = folder.resolve("server.crt");
    comesIn("ann", "right", "&sslmode=verify-ca&sslrootcert=" + root);
  }

  @Test
  void aServerThatRequiresTlsRefusesClearText() throws Exception {
    start(Method.SCRAM, tls("one"), true);
    isRefused("ann", "", "&sslmode=disable", "28000");
    comesIn("ann", "", "&sslmode=require");
  }

  @Test
  void passwordsInClearTextAreTaken() throws Exception {
    user("ann", Secret.scram("right", random));
    start(Method.CLEAR, tls("one"), false);
    comesIn("ann", "right", "&sslmode=require");
    isRefused("ann", "wrong", "&sslmode=require", "28P01");
    isRefused("bob", "right", "&sslmode=require", "28P01");
  }

  private String nameOfCertificate() throws Exception {
    var seen = new X509Certificate[1];
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        null,
        new X509TrustManager[] {
          new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {
              seen[0] = chain[0];
            }

            @Override
            public X509Certificate[] getAcceptedIssuers() {
              return new X509Certificate[0];
            }
          }
        },
        random);
    try (var raw = new java.net.Socket("127.0.0.1", server.port())) {
      raw.getOutputStream().write(new byte[] {0, 0, 0, 8, 4, (byte) 210, 22, 47});
      assertThat(raw.getInputStream().read()).isEqualTo('S');
      try (var socket =
          (SSLSocket)
              context.getSocketFactory().createSocket(raw, "127.0.0.1", server.port(), true)) {
        socket.startHandshake();
      }
    }
    return seen[0].getSubjectX500Principal().getName();
  }

  @Test
  void aNewCertificateIsTakenWithoutARestartAndABrokenOneIsNot() throws Exception {
    start(Method.SCRAM, tls("one"), false);
    assertThat(nameOfCertificate()).isEqualTo("CN=one");
    Certificates two = Certificates.make(folder, "two");
    Files.setLastModifiedTime(two.key(), FileTime.fromMillis(1_000_000));
    assertThat(nameOfCertificate()).isEqualTo("CN=two");
    Files.writeString(two.certificate(), "broken");
    assertThat(nameOfCertificate()).isEqualTo("CN=two");
  }

  @Test
  void clearTextBehindARequestForTlsBreaksTheConnection() throws Exception {
    start(Method.SCRAM, tls("one"), false);
    try (var raw = new java.net.Socket("127.0.0.1", server.port())) {
      byte[] both = {0, 0, 0, 8, 4, (byte) 210, 22, 47, 0, 0, 0, 9, 0, 3, 0, 0, 0};
      raw.getOutputStream().write(both);
      assertThat(raw.getInputStream().read()).isEqualTo('S');
      // What comes is the end, or TLS; in no case an answer to the start-up message.
      int next = raw.getInputStream().read();
      assertThat(next).isNotEqualTo('R');
    } catch (IOException _) {
      // cut off
    }
    assertThat(server.sessions()).isZero();
  }
}
