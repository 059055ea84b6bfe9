package io.millrace.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class InboxTest {
  private static final byte[] DATA = new byte[100_000];

  private static InboxMessage message() {
    return new InboxMessage.CopyData(DATA, 0, DATA.length);
  }

  @Test
  void readingPausesAboveOneMebibyteAndGoesOnBelowAQuarter() {
    var reading = new AtomicBoolean(true);
    var inbox = new Inbox(() -> reading.set(false), () -> reading.set(true));
    for (int i = 0; i < 10; i++) {
      inbox.add(message());
    }
    assertThat(reading).isTrue();
    inbox.add(message());
    assertThat(reading).isFalse();
    for (int i = 0; i < 8; i++) {
      inbox.take();
    }
    assertThat(reading).isFalse();
    inbox.take();
    assertThat(reading).isTrue();
  }

  /** A pause that comes while the last messages are taken must not stay. */
  @Test
  void theLoopIsNeverLeftPausedWithAnEmptyInbox() throws InterruptedException {
    for (int round = 0; round < 2_000; round++) {
      var reading = new AtomicBoolean(true);
      var inbox = new Inbox(() -> reading.set(false), () -> reading.set(true));
      int count = 12;
      var ready = new CountDownLatch(2);
      var taken = new CountDownLatch(count);
      Thread taker =
          Thread.ofPlatform()
              .start(
                  () -> {
                    ready.countDown();
                    while (taken.getCount() > 0) {
                      if (inbox.take() != null) {
                        taken.countDown();
                      }
                    }
                  });
      ready.countDown();
      for (int i = 0; i < count; i++) {
        inbox.add(message());
      }
      assertThat(taken.await(20, TimeUnit.SECONDS)).isTrue();
      taker.join();
      assertThat(reading).as("round %s", round).isTrue();
    }
  }
}
