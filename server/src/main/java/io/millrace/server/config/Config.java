package io.millrace.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/**
 * Everything that can be set about a server, bound from {@code conf/millrace.toml}, which says what
 * each key means. Values come, later ones first, from {@code --set} and the short options, the file
 * given by {@code --config}, and the defaults.
 */
public record Config(
    Server server,
    Pg pg,
    Http http,
    Data data,
    Log log,
    Wal wal,
    Storage storage,
    Compaction compaction,
    Query query,
    Flow flow,
    Limits limits,
    Copy copy,
    Auth auth,
    Tls tls) {

  /**
   * The configuration of a server started with these arguments: {@code --config FILE --data DIR
   * --pg-port N --http-port N --set key=value…}.
   *
   * @throws ConfigException if an argument, the file, a key or a value is wrong
   */
  public static Config load(String... args) {
    return ConfigLoader.load(args);
  }

  public record Server(String host, Duration shutdownGrace) {
    public Server {
      if (host.isBlank()) {
        throw new IllegalArgumentException("server.host is empty");
      }
    }
  }

  public record Pg(int port) {
    public Pg {
      checkPort("pg.port", port);
    }
  }

  public record Http(int port) {
    public Http {
      checkPort("http.port", port);
    }
  }

  public record Data(Path dir) {}

  public record Log(Level level, DataSize fileSize, int files) {
    public enum Level {
      ERROR,
      WARN,
      INFO,
      DEBUG,
      TRACE;

      @com.fasterxml.jackson.annotation.JsonCreator
      static Level parse(String text) {
        for (Level level : values()) {
          if (level.name().equals(text.toUpperCase(Locale.ROOT))) {
            return level;
          }
        }
        throw new IllegalArgumentException(
            "\"" + text + "\" is none of error, warn, info, debug and trace");
      }
    }

    public Log {
      checkRange("log.file_size", fileSize.bytes(), 64 << 10, Long.MAX_VALUE);
      checkRange("log.files", files, 0, 1000);
    }
  }

  public record Wal(WalSync sync, DataSize segmentSize, OnDamage onDamage) {
    /** What a start does when the log is damaged before its end. */
    public enum OnDamage {
      /** Tables written behind the damage stay shut. */
      SHUT,
      /** The loss is accepted, as by repair-wal. */
      CUT;

      @com.fasterxml.jackson.annotation.JsonCreator
      static OnDamage parse(String text) {
        for (OnDamage o : values()) {
          if (o.name().equals(text.toUpperCase(Locale.ROOT))) {
            return o;
          }
        }
        throw new IllegalArgumentException("\"" + text + "\" is none of shut and cut");
      }
    }

    public Wal {
      checkRange("wal.segment_size", segmentSize.bytes(), 64 << 10, 1 << 30);
    }
  }

  public record Storage(
      DataSize writeBuffer,
      DataSize regionWriteBuffer,
      DataSize reserve,
      DataSize pageCache,
      DataSize indexCache) {
    public Storage {
      checkRange("storage.write_buffer", writeBuffer.bytes(), 1 << 20, Long.MAX_VALUE);
      checkRange(
          "storage.region_write_buffer", regionWriteBuffer.bytes(), 64 << 10, Long.MAX_VALUE);
    }
  }

  public record Compaction(int jobs, DataSize ioPerSecond, DataSize memory) {
    public Compaction {
      checkRange("compaction.jobs", jobs, 1, 64);
      checkRange("compaction.io_per_second", ioPerSecond.bytes(), 0, Long.MAX_VALUE);
      checkRange("compaction.memory", memory.bytes(), 1 << 20, Long.MAX_VALUE);
    }
  }

  public record Query(int threads, DataSize memory, DataSize memoryPerQuery, DataSize planCache) {
    public Query {
      checkRange("query.threads", threads, 0, 1024);
      checkRange("query.memory", memory.bytes(), 1 << 20, Long.MAX_VALUE);
      checkRange("query.memory_per_query", memoryPerQuery.bytes(), 1 << 20, Long.MAX_VALUE);
      checkRange("query.plan_cache", planCache.bytes(), 0, Long.MAX_VALUE);
    }

    /** The number of threads with 0 resolved to the number of cores. */
    public int effectiveThreads() {
      return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
  }

  public record Flow(Duration minRefresh, Duration reconcileInterval) {
    public Flow {
      checkRange("flow.min_refresh in milliseconds", minRefresh.toMillis(), 50, 86_400_000);
      checkRange(
          "flow.reconcile_interval in milliseconds", reconcileInterval.toMillis(), 100, 86_400_000);
    }
  }

  /**
   * @param folder empty for {@code files} in the data folder
   */
  public record Copy(String folder) {}

  /** The only folder that COPY writes files in and reads them from. */
  public Path copyFolder() {
    return copy.folder().isBlank() ? data.dir().resolve("files") : Path.of(copy.folder());
  }

  public record Limits(int connections, Duration loginDeadline, DataSize message) {
    public Limits {
      checkRange("limits.connections", connections, 1, 100_000);
      checkRange(
          "limits.login_deadline in milliseconds", loginDeadline.toMillis(), 100, 86_400_000);
      checkRange("limits.message", message.bytes(), 64 << 10, 1 << 30);
    }
  }

  /** How clients prove who they are. */
  public record Auth(Method method) {
    public enum Method {
      /** Passwords by SCRAM, once any user has one. */
      SCRAM,
      /** Passwords in clear text, over TLS. */
      PASSWORD,
      /** Everybody is who they say they are. */
      TRUST;

      @com.fasterxml.jackson.annotation.JsonCreator
      static Method parse(String text) {
        for (Method m : values()) {
          if (m.name().equals(text.toUpperCase(Locale.ROOT))) {
            return m;
          }
        }
        throw new IllegalArgumentException("\"" + text + "\" is none of scram, password and trust");
      }
    }
  }

  /**
   * TLS.
   *
   * @param cert PEM file of the certificate chain; empty = no TLS
   * @param key PEM file of its private key
   */
  public record Tls(String cert, String key, boolean required) {
    public Tls {
      if (cert.isBlank() != key.isBlank()) {
        throw new IllegalArgumentException("tls.cert and tls.key go together");
      }
      if (required && cert.isBlank()) {
        throw new IllegalArgumentException("tls.required needs tls.cert and tls.key");
      }
    }
  }

  private static void checkPort(String key, int port) {
    checkRange(key, port, 0, 65_535);
  }

  private static void checkRange(String key, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          most == Long.MAX_VALUE
              ? key + " is " + value + " but must be at least " + least
              : key + " is " + value + " but must be between " + least + " and " + most);
    }
  }
}
