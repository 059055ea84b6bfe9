package io.millrace.wire.net;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS from a certificate chain and a private key in PEM files. When the files have changed, new
 * connections get the new certificate; a new pair that cannot be read leaves the old one in use.
 * Thread-safe.
 */
public final class Tls {
  private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

  private record Loaded(SslContext context, FileTime certificateTime, FileTime keyTime) {}

  private final Path certificate;
  private final Path key;
  private final AtomicReference<Loaded> current;

  private Tls(Path certificate, Path key, Loaded first) {
    this.certificate = certificate;
    this.key = key;
    this.current = new AtomicReference<>(first);
  }

  /**
   * Reads the files.
   *
   * @param key PKCS#8, not encrypted
   * @throws MillraceException if that cannot be
   */
  public static Tls of(Path certificate, Path key) {
    try {
      return new Tls(certificate, key, load(certificate, key));
    } catch (IOException | IllegalArgumentException e) {
      throw new MillraceException(
              ErrorCode.INVALID_PARAMETER_VALUE,
              "could not use certificate \""
                  + certificate
                  + "\" with key \""
                  + key
                  + "\": "
                  + e.getMessage(),
              e)
          .withHint(
              "tls.cert names a PEM file with the certificate chain, tls.key one with its PKCS#8"
                  + " key.");
    }
  }

  private static Loaded load(Path certificate, Path key) throws IOException {
    FileTime c = Files.getLastModifiedTime(certificate);
    FileTime k = Files.getLastModifiedTime(key);
    SslContext context =
        SslContextBuilder.forServer(certificate.toFile(), key.toFile())
            .sslProvider(SslProvider.JDK)
            .protocols("TLSv1.3", "TLSv1.2")
            .build();
    return new Loaded(context, c, k);
  }

  /** A handler for one connection, with the newest certificate. */
  SslHandler handler(Channel channel) {
    return refreshed().context.newHandler(channel.alloc());
  }

  private Loaded refreshed() {
    Loaded now = current.get();
    try {
      if (Files.getLastModifiedTime(certificate).equals(now.certificateTime)
          && Files.getLastModifiedTime(key).equals(now.keyTime)) {
        return now;
      }
      Loaded next = load(certificate, key);
      current.compareAndSet(now, next);
      LOG.info("took the new certificate \"{}\"", certificate);
      return next;
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("could not take the new certificate \"{}\": the old one stays", certificate, e);
      return now;
    }
  }

  /** Puts TLS under all else of a connection. What is written before goes out in clear text. */
  public SslHandler start(Channel channel) {
    SslHandler handler = handler(channel);
    channel.pipeline().addFirst("tls", handler);
    return handler;
  }
}
