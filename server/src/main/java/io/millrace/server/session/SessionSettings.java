package io.millrace.server.session;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.session.SettingDefinition;
import io.millrace.sql.session.SettingDefinitions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A session's settings: session values, values SET LOCAL for the running transaction, and what
 * ROLLBACK goes back to. Owned by the session's serial tasks; {@link #values} is an immutable copy
 * and stays the same object until a value changes: every statement asks for it, hardly any changes
 * it. For the same reason the session's map is never changed in place.
 */
public final class SessionSettings {
  private static final String DEFAULT = "default_";
  private static final List<String> MODES =
      List.of("transaction_isolation", "transaction_read_only", "transaction_deferrable");

  private final SettingDefinitions definitions;
  private final Map<String, String> defaults;
  private Map<String, String> session;
  private final Map<String, String> local = new HashMap<>();
  private @Nullable Map<String, String> atBegin;
  private @Nullable Map<String, String> merged;
  private @Nullable SessionFormat format;

  SessionSettings(SettingDefinitions definitions, Map<String, String> overrides) {
    this.definitions = definitions;
    var start = new LinkedHashMap<>(definitions.initial());
    start.putAll(overrides);
    this.defaults = Map.copyOf(start);
    this.session = start;
  }

  /** All values by lower-case name. */
  public Map<String, String> values() {
    Map<String, String> m = merged;
    if (m == null) {
      var all = new HashMap<>(session);
      follow(all);
      all.putAll(local);
      m = Map.copyOf(all);
      merged = m;
    }
    return m;
  }

  /** The transaction's modes are the session's where SET TRANSACTION has not changed them. */
  private static void follow(Map<String, String> all) {
    for (String mode : MODES) {
      String value = all.get(DEFAULT + mode);
      if (value != null) {
        all.put(mode, value);
      }
    }
  }

  public SessionFormat format() {
    SessionFormat f = format;
    if (f == null) {
      f = SettingDefinitions.format(values());
      format = f;
    }
    return f;
  }

  /** The value, if the name is known or was set. */
  public Optional<String> get(String name) {
    return Optional.ofNullable(values().get(name.toLowerCase(Locale.ROOT)));
  }

  String require(String name) {
    return get(name).orElseThrow(() -> SettingDefinitions.unknown(name));
  }

  /** SET. An empty list means the default. */
  public void set(String name, List<String> values, boolean forTransaction) {
    String key = name.toLowerCase(Locale.ROOT);
    String value;
    if (values.isEmpty()) {
      value = initial(key);
    } else {
      value = definitions.canonical(name, values);
    }
    if (atBegin != null && key.startsWith(DEFAULT) && MODES.contains(mode(key))) {
      local.putIfAbsent(mode(key), require(mode(key))); // of transactions after the running one
    }
    if (forTransaction || MODES.contains(key)) {
      local.put(key, value);
    } else {
      put(key, value);
      local.remove(key);
    }
    changed();
  }

  private static String mode(String key) {
    return key.substring(DEFAULT.length());
  }

  /** A value that is a fact of the session, such as session_authorization. */
  void force(String name, String value) {
    put(name.toLowerCase(Locale.ROOT), value);
    changed();
  }

  private void put(String key, String value) {
    var copy = new HashMap<>(session);
    copy.put(key, value);
    session = copy;
  }

  private String initial(String key) {
    String v = defaults.get(key);
    if (v != null) {
      return v;
    }
    if (key.contains(".")) {
      return "";
    }
    throw new MillraceException(
        ErrorCode.UNDEFINED_OBJECT, "unrecognized configuration parameter \"" + key + "\"");
  }

  void reset(String name) {
    set(name, List.of(), false);
  }

  public void resetAll() {
    var copy = new HashMap<>(session);
    for (SettingDefinition d : definitions.all()) {
      if (d.settable()) {
        String key = d.name().toLowerCase(Locale.ROOT);
        copy.put(key, initial(key));
      }
    }
    session = copy;
    local.clear();
    changed();
  }

  void begin() {
    atBegin = session;
  }

  void end(boolean committed) {
    Map<String, String> before = atBegin;
    atBegin = null;
    if (!committed && before != null && before != session) {
      session = before;
      changed();
    }
    if (!local.isEmpty()) {
      local.clear();
      changed();
    }
  }

  /** State to go back to on ROLLBACK TO SAVEPOINT. */
  Saved save() {
    return new Saved(session, Map.copyOf(local));
  }

  void restore(Saved saved) {
    session = saved.session;
    local.clear();
    local.putAll(saved.local);
    changed();
  }

  record Saved(Map<String, String> session, Map<String, String> local) {}

  private void changed() {
    merged = null;
    format = null;
  }
}
