package io.millrace.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.toml.TomlMapper;

/**
 * Builds a {@link Config}: the commented default file is read as a tree, the user's file and the
 * command line are laid over it, and the whole is bound to the records. The default tree also tells
 * which keys exist, so a wrong one is named together with the keys that stand beside it.
 */
final class ConfigLoader {
  private static final String DEFAULTS = "millrace.toml";

  private static final TomlMapper MAPPER =
      TomlMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .addModule(new SimpleModule().addDeserializer(Duration.class, new DurationDeserializer()))
          .build();

  private ConfigLoader() {}

  static Config load(String... args) {
    ObjectNode tree = defaults();
    Arguments arguments = Arguments.parse(args);
    Path file = arguments.file();
    if (file != null) {
      merge(tree, read(file), "", file.toString());
    }
    for (Setting setting : arguments.settings()) {
      set(tree, setting);
    }
    return bind(tree);
  }

  private static ObjectNode defaults() {
    try (InputStream in = ConfigLoader.class.getResourceAsStream(DEFAULTS)) {
      if (in == null) {
        throw new ConfigException("the default configuration is missing from the installation");
      }
      return object(
          parse(
              new String(in.readAllBytes(), StandardCharsets.UTF_8), "the default configuration"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new ConfigException("configuration file \"" + file + "\" does not exist");
    }
    try {
      return object(parse(Files.readString(file), file.toString()));
    } catch (IOException e) {
      throw new ConfigException(
          "cannot read configuration file \"" + file + "\": " + e.getMessage(), e);
    }
  }

  private static JsonNode parse(String text, String origin) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException e) {
      throw new ConfigException(
          origin + ", line " + e.getLocation().getLineNr() + ": " + e.getOriginalMessage(), e);
    }
  }

  private static ObjectNode object(JsonNode node) {
    return node instanceof ObjectNode object ? object : MAPPER.createObjectNode();
  }

  private static void merge(ObjectNode into, ObjectNode from, String prefix, String origin) {
    for (Map.Entry<String, JsonNode> entry : from.properties()) {
      String key = prefix + entry.getKey();
      JsonNode known = into.get(entry.getKey());
      if (known == null) {
        throw unknownKey(key, prefix, into, origin);
      }
      if (known instanceof ObjectNode section) {
        if (!(entry.getValue() instanceof ObjectNode values)) {
          throw new ConfigException(origin + ": " + key + " is a section, not a value");
        }
        merge(section, values, key + ".", origin);
      } else if (entry.getValue().isContainer()) {
        throw new ConfigException(origin + ": " + key + " is a single value");
      } else {
        into.set(entry.getKey(), entry.getValue());
      }
    }
  }

  private static void set(ObjectNode tree, Setting setting) {
    int dot = setting.key().indexOf('.');
    String section = dot < 0 ? setting.key() : setting.key().substring(0, dot);
    if (!(tree.get(section) instanceof ObjectNode values)) {
      throw unknownKey(setting.key(), "", tree, setting.option());
    }
    String name = dot < 0 ? "" : setting.key().substring(dot + 1);
    JsonNode known = values.get(name);
    if (known == null) {
      throw unknownKey(setting.key(), section + ".", values, setting.option());
    }
    if (known.isNumber()) {
      try {
        values.put(name, Long.parseLong(setting.value().strip()));
      } catch (NumberFormatException e) {
        throw new ConfigException(
            setting.option()
                + ": "
                + setting.key()
                + " is a whole number, not \""
                + setting.value()
                + "\"",
            e);
      }
    } else {
      values.put(name, setting.value());
    }
  }

  private static ConfigException unknownKey(
      String key, String prefix, ObjectNode known, String origin) {
    var names = new TreeSet<String>();
    known.propertyNames().forEach(name -> names.add(prefix + name));
    return new ConfigException(
        origin
            + ": there is no key \""
            + key
            + "\"; the "
            + (prefix.isEmpty() ? "sections are " : "keys there are ")
            + String.join(", ", names));
  }

  private static Config bind(ObjectNode tree) {
    try {
      return MAPPER.treeToValue(tree, Config.class);
    } catch (DatabindException e) {
      var path = new StringBuilder();
      for (JacksonException.Reference reference : e.getPath()) {
        path.append(path.isEmpty() ? "" : ".").append(reference.getPropertyName());
      }
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      String message =
          cause instanceof JacksonException jackson
              ? jackson.getOriginalMessage()
              : cause.getMessage();
      throw new ConfigException("configuration, " + path + ": " + message, e);
    }
  }

  private static final class DurationDeserializer extends StdDeserializer<Duration> {
    DurationDeserializer() {
      super(Duration.class);
    }

    @Override
    public Duration deserialize(JsonParser parser, DeserializationContext context) {
      return Durations.parse(parser.getValueAsString(""));
    }
  }

  /** One key set on the command line, and the words that set it. */
  private record Setting(String key, String value, String option) {}

  private record Arguments(@Nullable Path file, List<Setting> settings) {
    static Arguments parse(String[] args) {
      Path file = null;
      var settings = new ArrayList<Setting>();
      for (int i = 0; i < args.length; i++) {
        String option = args[i];
        String value;
        int equals = option.indexOf('=');
        if (option.startsWith("--") && equals > 0) {
          value = option.substring(equals + 1);
          option = option.substring(0, equals);
        } else if (i + 1 < args.length) {
          value = args[++i];
        } else {
          value = null;
        }
        String key =
            switch (option) {
              case "--config", "--set" -> "";
              case "--data" -> "data.dir";
              case "--host" -> "server.host";
              case "--pg-port" -> "pg.port";
              case "--http-port" -> "http.port";
              default ->
                  throw new ConfigException(
                      "unknown option \""
                          + option
                          + "\"; the options are --config FILE, --data DIR, --host ADDRESS,"
                          + " --pg-port N, --http-port N and --set key=value");
            };
        if (value == null) {
          throw new ConfigException("option " + option + " needs a value");
        }
        if (option.equals("--config")) {
          file = Path.of(value);
        } else if (option.equals("--set")) {
          int split = value.indexOf('=');
          if (split <= 0) {
            throw new ConfigException("--set takes key=value, not \"" + value + "\"");
          }
          settings.add(
              new Setting(
                  value.substring(0, split).strip(), value.substring(split + 1), "--set " + value));
        } else {
          settings.add(new Setting(key, value, option + " " + value));
        }
      }
      return new Arguments(file, settings);
    }
  }
}
