package io.millrace.wire.pg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.wire.EchoSession;
import io.millrace.wire.ProcessIds;
import io.millrace.wire.StartupInfo;
import io.millrace.wire.pg.auth.Authenticator;
import io.millrace.wire.pg.auth.TrustAuthenticator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PgServerTest {
  private final EchoSession.Handler handler = new EchoSession.Handler();
  private PgServer server = start(PgConfig.of("127.0.0.1", 0));

  private PgServer start(PgConfig config) {
    return PgServer.start(config, handler, new TrustAuthenticator(), new ProcessIds());
  }

  private void restart(int connections, Duration deadline, int message) {
    server.close();
    server = start(PgConfig.of("127.0.0.1", 0).withLimits(connections, deadline, message));
  }

  @AfterEach
  void stop() {
    server.close();
    assertThat(server.sessions()).isZero();
  }

  private RawClient login() throws IOException {
    return RawClient.login(server.port());
  }

  private static ClientBytes client() {
    return new ClientBytes();
  }

  @Test
  void startupAnswersAllThirteenSettingsAndTheKeys() throws IOException {
    try (var c = new RawClient(server.port())) {
      c.send(client().request(80877103));
      assertThat(c.readByte()).isEqualTo('N');
      c.send(client().request(80877104));
      assertThat(c.readByte()).isEqualTo('N');
      c.send(
          client()
              .startup(
                  3 << 16,
                  "user",
                  "me",
                  "application_name",
                  "test",
                  "options",
                  "-c TimeZone=Europe/Berlin --extra-float-digits=2 -cx=a\\ b"));
      List<RawClient.Message> all = c.until('Z');
      Map<String, String> settings = new TreeMap<>();
      var kinds = new StringBuilder();
      for (RawClient.Message m : all) {
        kinds.append(m.kind());
        if (m.kind() == 'S') {
          String[] pair = m.text().split("\0");
          settings.put(pair[0], pair[1]);
        }
      }
      assertThat(kinds.toString()).isEqualTo("R" + "S".repeat(13) + "KZ");
      assertThat(settings)
          .containsOnlyKeys(
              "application_name",
              "client_encoding",
              "DateStyle",
              "default_transaction_read_only",
              "in_hot_standby",
              "integer_datetimes",
              "IntervalStyle",
              "is_superuser",
              "server_encoding",
              "server_version",
              "session_authorization",
              "standard_conforming_strings",
              "TimeZone")
          .containsEntry("TimeZone", "Europe/Berlin")
          .containsEntry("application_name", "test")
          .containsEntry("session_authorization", "me");
      assertThat(settings.get("server_version")).startsWith("15.");
      StartupInfo info = Objects.requireNonNull(handler.lastStartup);
      assertThat(info.database()).isEqualTo("me");
      assertThat(info.remoteAddress()).isEqualTo("127.0.0.1");
      assertThat(info.settings())
          .containsEntry("extra_float_digits", "2")
          .containsEntry("x", "a b");
    }
  }

  @Test
  void newerMinorVersionIsNegotiated() throws IOException {
    try (var c = new RawClient(server.port())) {
      c.send(client().startup(3 << 16 | 2, "user", "me", "_pq_.future", "1"));
      RawClient.Message first = c.read();
      assertThat(first.kind()).isEqualTo('v');
      assertThat(first.body()).startsWith(0, 3, 0, 0, 0, 0, 0, 1);
      assertThat(c.kindsUntil('Z')).startsWith("R").endsWith("KZ");
    }
  }

  @Test
  void missingUserIsRefused() throws IOException {
    try (var c = new RawClient(server.port())) {
      c.send(client().startup(3 << 16));
      RawClient.Message error = c.until('E').getLast();
      assertThat(error.field('S')).isEqualTo("FATAL");
      assertThat(error.field('C')).isEqualTo("28000");
      assertThat(c.ended()).isTrue();
    }
  }

  @Test
  void handlerMayRefuseAClient() throws IOException {
    try (var c = new RawClient(server.port())) {
      c.send(client().startup(3 << 16, "user", "me", "database", "nowhere"));
      RawClient.Message error = c.until('E').getLast();
      assertThat(error.field('V')).isEqualTo("FATAL");
      assertThat(error.field('C')).isEqualTo("3D000");
      assertThat(c.ended()).isTrue();
    }
  }

  @Test
  void authenticatorAsksAndDecides() throws IOException {
    server.close();
    Authenticator clearText =
        (_, _, _) ->
            answer -> {
              if (answer == null) {
                return new Authenticator.Step.Ask(3, new byte[0], true);
              }
              if (new String(answer, StandardCharsets.UTF_8).equals("right\0")) {
                return new Authenticator.Step.Accepted();
              }
              throw new MillraceException(
                  ErrorCode.INVALID_PASSWORD, "password authentication failed for user \"me\"");
            };
    server = PgServer.start(PgConfig.of("127.0.0.1", 0), handler, clearText, new ProcessIds());
    try (var c = new RawClient(server.port())) {
      c.send(client().startup(3 << 16, "user", "me"));
      assertThat(c.read().body()).containsExactly(0, 0, 0, 3);
      c.send(client().message('p', "right\0".getBytes(StandardCharsets.UTF_8)));
      assertThat(c.kindsUntil('Z')).endsWith("KZ");
    }
    try (var c = new RawClient(server.port())) {
      c.send(client().startup(3 << 16, "user", "me"));
      c.read();
      c.send(client().message('p', "wrong\0".getBytes(StandardCharsets.UTF_8)));
      assertThat(c.read().field('C')).isEqualTo("28P01");
    }
  }

  @Test
  void extendedProtocolAnswersInOrder() throws IOException {
    try (var c = login()) {
      c.send(
          client()
              .parse("", "SELECT $1, $2")
              .bind("", "", "one", null)
              .describe('S', "")
              .describe('P', "")
              .execute("", 0)
              .close('P', "")
              .close('S', "")
              .sync());
      assertThat(c.kindsUntil('Z')).isEqualTo("12tTTDC33Z");
    }
  }

  @Test
  void errorSkipsToSync() throws IOException {
    try (var c = login()) {
      c.send(
          client()
              .parse("", "fail")
              .bind("", "")
              .execute("", 0)
              .sync()
              .parse("", "SELECT 2")
              .bind("", "")
              .execute("", 0)
              .sync());
      RawClient.Message error = c.read();
      assertThat(error.field('C')).isEqualTo("42601");
      assertThat(error.field('P')).isEqualTo("1");
      assertThat(error.field('n')).isEqualTo("k");
      assertThat(c.kindsUntil('Z')).isEqualTo("Z");
      assertThat(c.kindsUntil('Z')).isEqualTo("12DCZ");
    }
  }

  @Test
  void rowLimitSuspendsThePortal() throws IOException {
    try (var c = login()) {
      c.send(
          client()
              .parse("", "rows 5")
              .bind("", "")
              .execute("", 2)
              .execute("", 2)
              .execute("", 2)
              .sync());
      assertThat(c.kindsUntil('Z')).isEqualTo("12DDsDDsDCZ");
    }
  }

  @Test
  void flushSendsWithoutSync() throws IOException {
    try (var c = login()) {
      c.send(client().parse("", "SELECT 1").message('H'));
      assertThat(c.read().kind()).isEqualTo('1');
      c.send(client().sync());
      assertThat(c.read().kind()).isEqualTo('Z');
    }
  }

  @Test
  void pipelineOfAThousandMixesLoopAndThreadAnswersInOrder() throws IOException {
    try (var c = login()) {
      var bytes = client();
      var random = new Random(7);
      var expected = new ArrayList<String>();
      for (int i = 0; i < 1000; i++) {
        int n = random.nextInt(3) == 0 ? i + 2 : 1;
        bytes.query("SELECT " + n);
        expected.add(Integer.toString(n));
      }
      c.send(bytes);
      var got = new ArrayList<String>();
      for (int i = 0; i < 1000; i++) {
        for (RawClient.Message m : c.until('Z')) {
          if (m.kind() == 'D') {
            got.add(new String(m.body(), 6, m.body().length - 6, StandardCharsets.UTF_8));
          }
        }
      }
      assertThat(got).isEqualTo(expected);
    }
  }

  @Test
  void windowHoldsAFastQueryBackUntilTheClientReads() throws IOException {
    try (var c = login()) {
      c.send(client().query("rows 600000"));
      Awaitility.await().until(() -> handler.stalls.get() > 0);
      int stalls = handler.stalls.get();
      assertThat(c.until('C').size()).isEqualTo(600_002);
      assertThat(c.read().kind()).isEqualTo('Z');
      assertThat(handler.stalls.get()).isGreaterThan(stalls);
    }
  }

  @Test
  void cancelRequestStopsTheStatement() throws Exception {
    try (var c = login()) {
      c.send(client().query("wait"));
      assertThat(handler.waiting.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      try (var wrong = new RawClient(server.port())) {
        wrong.send(client().request(80877102, c.processId, c.secret + 1));
        assertThat(wrong.ended()).isTrue();
      }
      long from = System.nanoTime();
      try (var right = new RawClient(server.port())) {
        right.send(client().request(80877102, c.processId, c.secret));
        assertThat(right.ended()).isTrue();
      }
      assertThat(c.read().field('C')).isEqualTo("57014");
      assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(2));
      assertThat(c.read().kind()).isEqualTo('Z');
    }
  }

  @Test
  void clientThatLeavesStopsItsStatement() throws Exception {
    var c = login();
    c.send(client().query("wait"));
    assertThat(handler.waiting.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
    c.close();
    assertThat(handler.firstDisconnected.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void clientThatLeavesInTheMiddleOfARowStreamStopsIt() throws Exception {
    var c = login();
    c.send(client().query("rows 100000000"));
    Awaitility.await().until(() -> handler.stalls.get() > 0);
    c.close();
    assertThat(handler.firstDisconnected.await(10, TimeUnit.SECONDS)).isTrue();
    Awaitility.await().until(() -> server.sessions() == 0);
  }

  @Test
  void terminateIsToldOnce() throws Exception {
    try (var c = login()) {
      c.send(client().message('X'));
      assertThat(c.ended()).isTrue();
    }
    Awaitility.await().until(() -> handler.disconnected.get() == 1);
  }

  @Test
  void tooManyClientsAreRefused() throws IOException {
    restart(2, Duration.ofSeconds(15), 1 << 20);
    try (var _ = login();
        var _ = login();
        var third = new RawClient(server.port())) {
      third.send(client().startup(3 << 16, "user", "me"));
      RawClient.Message error = third.read();
      assertThat(error.field('C')).isEqualTo("53300");
      assertThat(error.field('M')).isEqualTo("sorry, too many clients already");
      assertThat(third.ended()).isTrue();
    }
    Awaitility.await().until(() -> server.sessions() == 0);
    login().close();
  }

  @Test
  void halfOpenAndSlowClientsAreClosedAtTheDeadline() throws IOException {
    restart(10, Duration.ofMillis(300), 1 << 20);
    try (var silent = new RawClient(server.port());
        var slow = new RawClient(server.port())) {
      slow.send(client().raw((byte) 0, (byte) 0, (byte) 0));
      RawClient.Message error = silent.read();
      assertThat(error.field('M')).isEqualTo("canceling authentication due to timeout");
      assertThat(silent.ended()).isTrue();
      assertThat(slow.ended()).isTrue();
    }
    try (var c = login()) {
      c.send(client().query("SELECT 1"));
      assertThat(c.kindsUntil('Z')).isEqualTo("TDCZ");
    }
  }

  @Test
  void garbageAndHugeLengthsHarmNobodyElse() throws IOException {
    try (var good = login()) {
      var random = new Random(3);
      for (int i = 0; i < 50; i++) {
        byte[] junk = new byte[random.nextInt(1, 500)];
        random.nextBytes(junk);
        var bad = i % 2 == 0 ? new RawClient(server.port()) : login();
        try (bad) {
          if (i % 5 == 0) {
            bad.send(client().header('Q', Integer.MAX_VALUE));
          } else {
            bad.send(client().raw(junk));
          }
        } catch (IOException e) {
          // The server may have closed before all was written.
          assertThat(e.getMessage()).isNotNull();
        }
      }
      good.send(client().query("SELECT 1"));
      assertThat(good.kindsUntil('Z')).isEqualTo("TDCZ");
    }
    Awaitility.await().until(() -> server.sessions() == 0);
  }

  @Test
  void queryOverTheLimitIsRefusedAndTheConnectionLives() throws IOException {
    restart(10, Duration.ofSeconds(15), 1 << 20);
    try (var c = login()) {
      c.send(client().query("SELECT '" + "x".repeat(3 << 20) + "'").query("SELECT 1"));
      assertThat(c.read().field('C')).isEqualTo("54000");
      assertThat(c.read().kind()).isEqualTo('Z');
      assertThat(c.kindsUntil('Z')).isEqualTo("TDCZ");
    }
  }

  @Test
  void functionCallIsRefusedAndTheConnectionLives() throws IOException {
    try (var c = login()) {
      c.send(client().message('F', new byte[12]));
      assertThat(c.read().field('C')).isEqualTo("0A000");
      assertThat(c.read().kind()).isEqualTo('Z');
    }
  }

  @Test
  void unknownMessageIsFatal() throws IOException {
    try (var c = login()) {
      c.send(client().message('!'));
      RawClient.Message error = c.read();
      assertThat(error.field('S')).isEqualTo("FATAL");
      assertThat(error.field('C')).isEqualTo("08P01");
      assertThat(c.ended()).isTrue();
    }
  }

  @Test
  void sessionThatThrowsEndsItsConnectionOnly() throws IOException {
    try (var c = login();
        var other = login()) {
      c.send(client().query("throw"));
      RawClient.Message error = c.read();
      assertThat(error.field('C')).isEqualTo("XX000");
      assertThat(c.ended()).isTrue();
      other.send(client().query("SELECT 1"));
      assertThat(other.kindsUntil('Z')).isEqualTo("TDCZ");
    }
  }

  @Test
  void copyInCountsEveryByteHoweverLongTheMessages() throws IOException {
    try (var c = login()) {
      c.send(client().query("copy in"));
      RawClient.Message response = c.read();
      assertThat(response.kind()).isEqualTo('G');
      assertThat(response.body()).containsExactly(0, 0, 2, 0, 0, 0, 0);
      var bytes = client();
      for (int i = 0; i < 5; i++) {
        bytes.message('d', new byte[1_000_000]);
      }
      c.send(bytes.message('d').message('d', (byte) 1).message('c'));
      assertThat(c.read().text()).isEqualTo("COPY 5000001\0");
      assertThat(c.read().kind()).isEqualTo('Z');
      c.send(client().query("copy in"));
      c.read();
      c.send(client().copyFail("no more"));
      assertThat(c.read().field('M')).isEqualTo("COPY from stdin failed: no more");
      assertThat(c.read().kind()).isEqualTo('Z');
    }
  }

  @Test
  void copyOutSendsAMessagePerRow() throws IOException {
    try (var c = login()) {
      c.send(client().query("copy out 3"));
      assertThat(c.kindsUntil('Z')).isEqualTo("HdddcCZ");
    }
  }

  @Test
  void settingIsReportedOnlyWhenItChanges() throws IOException {
    try (var c = login()) {
      c.send(client().query("SET TimeZone = 'Asia/Tokyo'").query("SET TimeZone = 'Asia/Tokyo'"));
      assertThat(c.kindsUntil('Z')).isEqualTo("SCZ");
      assertThat(c.kindsUntil('Z')).isEqualTo("CZ");
    }
  }

  @Test
  void shutdownEndsIdleSessionsAndWaitsForRunningOnes() throws Exception {
    try (var idle = login();
        var busy = login()) {
      busy.send(client().query("wait"));
      assertThat(handler.waiting.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      Thread down = Thread.ofVirtual().start(() -> server.shutdown(Duration.ofMillis(500)));
      assertThat(idle.read().field('C')).isEqualTo("57P01");
      assertThat(idle.ended()).isTrue();
      assertThat(busy.read().field('C')).isEqualTo("57014");
      assertThat(busy.read().kind()).isEqualTo('Z');
      assertThat(busy.read().field('C')).isEqualTo("57P01");
      assertThat(busy.ended()).isTrue();
      down.join();
    }
  }

  @Test
  void shutdownRefusesNewClientsAndCutsOffTheStubborn() throws Exception {
    try (var half = new RawClient(server.port());
        var stalled = login()) {
      stalled.send(client().query("rows 100000000"));
      Awaitility.await().until(() -> handler.stalls.get() > 0);
      server.close();
      assertThat(half.ended()).isTrue();
      assertThat(server.sessions()).isZero();
    }
  }

  @Test
  void busyPortIsNamed() {
    assertThatThrownBy(() -> start(PgConfig.of("127.0.0.1", server.port())))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + server.port())
        .hasMessageContaining("in use");
  }
}
