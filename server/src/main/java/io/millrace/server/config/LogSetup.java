package io.millrace.server.config;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * Points the log of this process at {@code log/millrace.log} in the data folder, as the
 * configuration says.
 */
public final class LogSetup {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{24} %msg%n";

  private LogSetup() {}

  /** Takes another level. */
  public static void level(Config config) {
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger("io.millrace").setLevel(Level.toLevel(config.log().level().name()));
  }

  public static void apply(Config config) {
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Path folder = config.data().dir().resolve("log");

    var encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();

    var appender = new RollingFileAppender<ILoggingEvent>();
    appender.setContext(context);
    appender.setFile(folder.resolve("millrace.log").toString());
    appender.setEncoder(encoder);

    if (config.log().files() > 0) {
      var rolling = new FixedWindowRollingPolicy();
      rolling.setContext(context);
      rolling.setParent(appender);
      rolling.setFileNamePattern(folder.resolve("millrace.%i.log.gz").toString());
      rolling.setMinIndex(1);
      rolling.setMaxIndex(config.log().files());
      rolling.start();
      appender.setRollingPolicy(rolling);
      var trigger = new SizeBasedTriggeringPolicy<ILoggingEvent>();
      trigger.setContext(context);
      trigger.setMaxFileSize(new FileSize(config.log().fileSize().bytes()));
      trigger.start();
      appender.setTriggeringPolicy(trigger);
    }
    appender.start();

    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(appender);
    root.setLevel(Level.WARN);
    level(config);
  }
}
