package io.millrace.server.config;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads the configuration again while the server runs. Some keys take effect at once; the others
 * need a restart, and are said to. Thread-safe.
 */
public final class ConfigReload {
  /**
   * What a reload has found changed, as {@code section.key}.
   *
   * @param waiting keys whose new values take effect with the next start
   */
  public record Result(List<String> applied, List<String> waiting) {}

  private final Config running;
  private final Supplier<Config> source;
  private final Map<String, Consumer<Config>> listeners = new HashMap<>();
  private final Map<String, Object> values = new HashMap<>();

  /**
   * @param running what the server was started with
   * @param source reads file and arguments anew; throws {@link ConfigException}
   */
  public ConfigReload(Config running, Supplier<Config> source) {
    this.running = running;
    this.source = source;
    values.putAll(keys(running));
  }

  /** Declares a key that takes effect at once. */
  public synchronized void on(String key, Consumer<Config> listener) {
    if (!values.containsKey(key)) {
      throw new IllegalArgumentException("no key " + key);
    }
    listeners.put(key, listener);
  }

  /**
   * Takes what has changed since the start, or since it was taken last.
   *
   * @throws MillraceException if the configuration cannot be read: nothing is changed
   */
  public synchronized Result reload() {
    Config next;
    try {
      next = source.get();
    } catch (ConfigException e) {
      throw new MillraceException(
              ErrorCode.CONFIG_FILE_ERROR, "the configuration was not taken: " + e.getMessage(), e)
          .withHint("The server goes on with what it has.");
    }
    var applied = new ArrayList<String>();
    var waiting = new ArrayList<String>();
    keys(next)
        .forEach(
            (key, value) -> {
              if (Objects.equals(value, values.get(key))) {
                return;
              }
              Consumer<Config> listener = listeners.get(key);
              if (listener == null) {
                waiting.add(key);
              } else {
                listener.accept(next);
                values.put(key, value);
                applied.add(key);
              }
            });
    applied.sort(null);
    waiting.sort(null);
    return new Result(List.copyOf(applied), List.copyOf(waiting));
  }

  /** What the server was started with. */
  public Config running() {
    return running;
  }

  private static Map<String, Object> keys(Config config) {
    var out = new HashMap<String, Object>();
    for (RecordComponent section : Config.class.getRecordComponents()) {
      Object part = get(section, config);
      for (RecordComponent c : section.getType().getRecordComponents()) {
        out.put(name(section) + "." + name(c), get(c, part));
      }
    }
    return out;
  }

  private static String name(RecordComponent c) {
    return c.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static Object get(RecordComponent c, Object of) {
    try {
      return c.getAccessor().invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
