package io.millrace.wire.pg.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.Formats;
import io.millrace.wire.net.AssemblyBudget;
import io.millrace.wire.pg.ClientBytes;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrontendDecoderTest {
  private static final int LIMIT = 1 << 20;

  private final AssemblyBudget budget = new AssemblyBudget(2 * LIMIT);
  private final FrontendDecoder decoder = new FrontendDecoder(LIMIT, budget);
  private final EmbeddedChannel channel = new EmbeddedChannel(decoder);

  private List<FrontendMessage> feed(byte[] bytes) {
    channel.writeInbound(Unpooled.wrappedBuffer(bytes));
    return taken();
  }

  private List<FrontendMessage> taken() {
    var out = new ArrayList<FrontendMessage>();
    for (FrontendMessage m = channel.readInbound(); m != null; m = channel.readInbound()) {
      out.add(m);
    }
    return out;
  }

  private static ClientBytes client() {
    return new ClientBytes();
  }

  private void login() {
    feed(client().startup(3 << 16, "user", "me").bytes());
    decoder.sessionOpened();
  }

  private static String broken(List<FrontendMessage> messages) {
    return ((FrontendMessage.Broken) messages.getLast()).error().message();
  }

  private static FrontendMessage.Bad bad(List<FrontendMessage> messages) {
    return (FrontendMessage.Bad) messages.getLast();
  }

  @Test
  void sslAndGssRequestsLeaveTheStartupOpen() {
    assertThat(feed(client().request(80877103).request(80877104).bytes()))
        .containsExactly(new FrontendMessage.SslRequest(), new FrontendMessage.GssEncRequest());
    assertThat(feed(client().startup(3 << 16, "user", "me").bytes()).getFirst())
        .isInstanceOf(FrontendMessage.Startup.class);
  }

  @Test
  void startupCarriesParametersAndProtocolOptions() {
    byte[] bytes =
        client().startup(3 << 16 | 2, "user", "me", "_pq_.x", "1", "options", "-c a=b").bytes();
    var startup = (FrontendMessage.Startup) feed(bytes).getFirst();
    assertThat(startup.minorVersion()).isEqualTo(2);
    assertThat(startup.parameters()).containsEntry("user", "me").doesNotContainKey("_pq_.x");
    assertThat(startup.protocolOptions()).containsExactly("_pq_.x");
  }

  @Test
  void cancelRequestIsTheLastMessage() {
    assertThat(feed(client().request(80877102, 7, 9).query("SELECT 1").bytes()))
        .containsExactly(new FrontendMessage.CancelRequest(7, 9));
  }

  @Test
  void oldProtocolIsRefused() {
    assertThat(broken(feed(client().startup(2 << 16, "user", "me").bytes())))
        .isEqualTo("unsupported frontend protocol 2.0: server supports 3.0 to 3.0");
  }

  @Test
  void startupLongerThanTenKilobytesIsRefusedByItsHeader() {
    assertThat(broken(feed(client().raw((byte) 0, (byte) 0, (byte) 0x27, (byte) 0x11).bytes())))
        .isEqualTo("invalid length of startup packet");
  }

  @Test
  void startupOfLengthTenThousandIsTaken() {
    String padding = "x".repeat(10_000 - 8 - "user\0me\0a\0\0\0".length());
    byte[] bytes = client().startup(3 << 16, "user", "me", "a", padding).bytes();
    assertThat(bytes).hasSize(10_000);
    assertThat(feed(bytes).getFirst()).isInstanceOf(FrontendMessage.Startup.class);
  }

  @Test
  void httpOnThisPortIsRefused() {
    assertThat(broken(feed(client().raw("GET / HTTP/1.1\r\n").bytes())))
        .isEqualTo("invalid length of startup packet");
  }

  @Test
  void startupWithoutTerminatorIsRefused() {
    byte[] bytes = client().startup(3 << 16, "user", "me").bytes();
    bytes[bytes.length - 1] = 'x';
    assertThat(broken(feed(bytes)))
        .isEqualTo("invalid startup packet layout: expected terminator as last byte");
  }

  @Test
  void onlyAnswersAreTakenBeforeTheLoginIsOver() {
    feed(client().startup(3 << 16, "user", "me").bytes());
    assertThat(broken(feed(client().query("SELECT 1").bytes())))
        .isEqualTo("expected password response, got message type 81");
  }

  @Test
  void everyMessageIsReadWhereverTheBytesAreCut() {
    byte[] bytes =
        client()
            .query("SELECT 'ä'")
            .parse("s", "SELECT $1", 23, 0)
            .bind("p", "s", "one", null, "")
            .describe('S', "s")
            .describe('P', "p")
            .execute("p", 5)
            .close('P', "p")
            .close('S', "s")
            .message('H')
            .sync()
            .message('d', (byte) 1, (byte) 2)
            .message('c')
            .copyFail("why")
            .message('X')
            .bytes();
    for (int cut = 1; cut < 40; cut++) {
      var d = new FrontendDecoder(LIMIT, budget);
      var c = new EmbeddedChannel(d);
      c.writeInbound(Unpooled.wrappedBuffer(client().startup(3 << 16, "user", "me").bytes()));
      d.sessionOpened();
      c.readInbound();
      for (int at = 0; at < bytes.length; at += cut) {
        int n = Math.min(cut, bytes.length - at);
        c.writeInbound(Unpooled.wrappedBuffer(Arrays.copyOfRange(bytes, at, at + n)));
      }
      var got = new ArrayList<FrontendMessage>();
      int copied = 0;
      for (FrontendMessage m = c.readInbound(); m != null; m = c.readInbound()) {
        if (m instanceof FrontendMessage.CopyData(_, var length)) {
          copied += length;
        } else {
          got.add(m);
        }
      }
      assertThat(copied).isEqualTo(2);
      assertThat(got).hasSize(13);
      assertThat(got.getFirst()).isEqualTo(new FrontendMessage.Query("SELECT 'ä'"));
      var parse = (FrontendMessage.Parse) got.get(1);
      assertThat(parse.parameterOids()).containsExactly(23, 0);
      var bind = (FrontendMessage.Bind) got.get(2);
      assertThat(bind.parameters().lengths()).containsExactly(3, -1, 0);
      assertThat(bind.parameters().isNull(1)).isTrue();
      assertThat(bind.resultFormats()).isEqualTo(Formats.TEXT);
      assertThat(got.subList(3, 13))
          .containsExactly(
              new FrontendMessage.Describe(true, "s"),
              new FrontendMessage.Describe(false, "p"),
              new FrontendMessage.Execute("p", 5),
              new FrontendMessage.Close(false, "p"),
              new FrontendMessage.Close(true, "s"),
              new FrontendMessage.Flush(),
              new FrontendMessage.Sync(),
              new FrontendMessage.CopyDone(),
              new FrontendMessage.CopyFail("why"),
              new FrontendMessage.Terminate());
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void unknownTypeByteBreaksTheConnectionAtOnce() {
    login();
    assertThat(broken(feed(new byte[] {'!'}))).isEqualTo("invalid frontend message type 33");
    assertThat(feed(client().query("SELECT 1").bytes())).isEmpty();
  }

  @Test
  void impossibleLengthBreaksTheConnection() {
    login();
    assertThat(broken(feed(client().header('Q', 3).bytes()))).isEqualTo("invalid message length");
  }

  @Test
  void negativeLengthBreaksTheConnection() {
    login();
    assertThat(broken(feed(client().header('Q', -5).bytes()))).isEqualTo("invalid message length");
  }

  @Test
  void longMessageOfAShortKindBreaksTheConnection() {
    login();
    assertThat(broken(feed(client().header('S', 20_000).bytes())))
        .isEqualTo("invalid message length");
  }

  @Test
  void messageOverTheLimitIsSkippedAndReported() {
    login();
    assertThat(feed(client().header('Q', LIMIT + 5).raw(new byte[1000]).bytes())).isEmpty();
    assertThat(feed(new byte[LIMIT - 1000])).isEmpty();
    byte[] rest = client().raw((byte) 0).query("SELECT 1").bytes();
    List<FrontendMessage> got = feed(rest);
    FrontendMessage.Bad bad = (FrontendMessage.Bad) got.getFirst();
    assertThat(bad.kind()).isEqualTo('Q');
    assertThat(bad.error().sqlState()).isEqualTo("54000");
    assertThat(got.get(1)).isEqualTo(new FrontendMessage.Query("SELECT 1"));
  }

  @Test
  void announcedLengthTakesNoMemoryBeforeItsBytesArrive() {
    var huge = new FrontendDecoder(Integer.MAX_VALUE - 16, new AssemblyBudget(1 << 20));
    var c = new EmbeddedChannel(huge);
    c.writeInbound(Unpooled.wrappedBuffer(client().startup(3 << 16, "user", "me").bytes()));
    huge.sessionOpened();
    c.readInbound();
    c.writeInbound(
        Unpooled.wrappedBuffer(
            client().header('Q', Integer.MAX_VALUE - 100).raw(new byte[100]).bytes()));
    assertThat(c.<FrontendMessage>readInbound()).isNull();
  }

  @Test
  void longMessagesBeyondTheSharedBudgetAreSkippedWithOutOfMemory() {
    var small = new AssemblyBudget(200_000);
    var d = new FrontendDecoder(LIMIT, small);
    var c = new EmbeddedChannel(d);
    c.writeInbound(Unpooled.wrappedBuffer(client().startup(3 << 16, "user", "me").bytes()));
    d.sessionOpened();
    c.readInbound();
    c.writeInbound(Unpooled.wrappedBuffer(client().header('Q', 500_004).bytes()));
    for (int i = 0; i < 50; i++) {
      c.writeInbound(Unpooled.wrappedBuffer(new byte[10_000]));
    }
    var bad = (FrontendMessage.Bad) c.readInbound();
    assertThat(bad).isNotNull();
    assertThat(bad.error().sqlState()).isEqualTo("53200");
    assertThat(small.used()).isZero();
    c.writeInbound(Unpooled.wrappedBuffer(client().query("SELECT 1").bytes()));
    assertThat(c.<FrontendMessage>readInbound()).isEqualTo(new FrontendMessage.Query("SELECT 1"));
  }

  @Test
  void budgetComesBackWhenTheClientLeaves() {
    login();
    feed(client().header('Q', 500_004).bytes());
    feed(new byte[200_000]);
    assertThat(budget.used()).isPositive();
    var _ = channel.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void longQueryArrivesWhole() {
    login();
    String sql = "SELECT '" + "x".repeat(900_000) + "'";
    byte[] bytes = client().query(sql).bytes();
    for (int at = 0; at < bytes.length; at += 7_777) {
      channel.writeInbound(
          Unpooled.wrappedBuffer(
              Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 7_777))));
    }
    assertThat(taken()).containsExactly(new FrontendMessage.Query(sql));
    assertThat(budget.used()).isZero();
  }

  @Test
  void malformedBodiesAreReportedAndTheConnectionLives() {
    login();
    assertThat(bad(feed(client().message('Q', (byte) 'x').bytes())).error().message())
        .isEqualTo("invalid string in message");
    assertThat(bad(feed(client().message('P', (byte) 0, (byte) 0).bytes())).error().message())
        .isEqualTo("invalid message format");
    assertThat(bad(feed(client().message('S', (byte) 0).bytes())).kind()).isEqualTo('S');
    assertThat(bad(feed(client().message('D', (byte) 'X', (byte) 0).bytes())).error().message())
        .isEqualTo("invalid DESCRIBE message subtype 88");
    assertThat(bad(feed(client().message('Q', (byte) 0xff, (byte) 0).bytes())).error().sqlState())
        .isEqualTo("22021");
    assertThat(feed(client().sync().bytes())).containsExactly(new FrontendMessage.Sync());
  }

  @Test
  void bindWithAParameterBeyondItsEndIsMalformed() {
    login();
    byte[] body = {0, 0, 0, 0, 0, 1, 0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff};
    assertThat(bad(feed(client().message('B', body).bytes())).error().message())
        .isEqualTo("invalid message format");
  }

  @Test
  void formatCodesMustFitTheParameters() {
    login();
    byte[] body = {0, 0, 0, 2, 0, 0, 0, 1, 0, 1, (byte) 0xff, (byte) 0xff, (byte) 0xff, -1, 0, 0};
    assertThat(bad(feed(client().message('B', body).bytes())).error().message())
        .isEqualTo("bind message has 2 parameter formats but 1 parameters");
  }

  @Test
  void functionCallsAreRefusedAndTheConnectionLives() {
    login();
    assertThat(bad(feed(client().message('F', new byte[20]).bytes())).error().sqlState())
        .isEqualTo("0A000");
  }

  @Test
  void garbageNeverThrows() {
    long seed = Long.getLong("millrace.seed", 20_261_130);
    var random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      var d = new FrontendDecoder(1 << 16, budget);
      var c = new EmbeddedChannel(d);
      if (round % 2 == 0) {
        c.writeInbound(Unpooled.wrappedBuffer(client().startup(3 << 16, "user", "me").bytes()));
        d.sessionOpened();
      }
      for (int i = 0; i < 5; i++) {
        byte[] junk = new byte[random.nextInt(1, 200)];
        random.nextBytes(junk);
        if (round % 4 == 0) {
          junk = client().message("QPBDECdcfF".charAt(random.nextInt(10)), junk).bytes();
        }
        c.writeInbound(Unpooled.wrappedBuffer(junk));
      }
      c.checkException();
      c.finishAndReleaseAll();
    }
    assertThat(budget.used()).as("seed %d", seed).isZero();
  }

  @Test
  void shortCopyMessagesOfOneReadBecomeOnePieceInOrder() {
    login();
    var bytes = client().query("q");
    for (byte i = 0; i < 100; i++) {
      bytes.message('d', i, i);
    }
    List<FrontendMessage> got = feed(bytes.message('c').message('d', (byte) 7).bytes());
    assertThat(got).hasSize(4);
    var piece = (FrontendMessage.CopyData) got.get(1);
    assertThat(piece.length()).isEqualTo(200);
    assertThat(piece.data()[199]).isEqualTo((byte) 99);
    assertThat(got.get(2)).isEqualTo(new FrontendMessage.CopyDone());
    assertThat(((FrontendMessage.CopyData) got.get(3)).length()).isEqualTo(1);
  }

  @Test
  void copyMessageOverTheLimitIsSkippedBehindWhatCameBefore() {
    login();
    feed(client().message('d', (byte) 1).header('d', LIMIT + 5).raw(new byte[10]).bytes());
    List<FrontendMessage> got = feed(new byte[LIMIT + 1 - 10]);
    assertThat(bad(got).kind()).isEqualTo('d');
  }
}
