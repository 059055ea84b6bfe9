package io.millrace.wire.pg;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.wire.pg.codec.FrontendMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the parameters of a start-up message: who, where to, and which settings. */
final class StartupParameters {
  private StartupParameters() {}

  static String user(FrontendMessage.Startup startup) {
    String user = startup.parameters().get("user");
    if (user == null || user.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_AUTHORIZATION_SPECIFICATION,
          "no PostgreSQL user name specified in startup packet");
    }
    return user;
  }

  static String database(FrontendMessage.Startup startup) {
    String database = startup.parameters().get("database");
    return database == null || database.isEmpty() ? user(startup) : database;
  }

  /** All settings; those of {@code options} first, so that a parameter of its own wins. */
  static Map<String, String> settings(FrontendMessage.Startup startup) {
    String replication = startup.parameters().get("replication");
    if (replication != null && !isOff(replication)) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "replication connections are not supported");
    }
    var settings = new LinkedHashMap<String, String>();
    String options = startup.parameters().get("options");
    if (options != null) {
      options(options, settings);
    }
    for (var p : startup.parameters().entrySet()) {
      switch (p.getKey()) {
        case "user", "database", "options", "replication" -> {}
        default -> settings.put(p.getKey(), p.getValue());
      }
    }
    return settings;
  }

  private static boolean isOff(String value) {
    return switch (value) {
      case "0", "false", "off", "no" -> true;
      default -> false;
    };
  }

  /** {@code -c name=value}, {@code -cname=value} and {@code --name=value}; others are ignored. */
  private static void options(String text, Map<String, String> settings) {
    List<String> words = words(text);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("-c") && i + 1 < words.size()) {
        setting(words.get(++i), settings);
      } else if (word.startsWith("-c") || word.startsWith("--")) {
        setting(word.substring(2), settings);
      }
    }
  }

  private static void setting(String word, Map<String, String> settings) {
    int eq = word.indexOf('=');
    if (eq > 0) {
      settings.put(word.substring(0, eq).replace('-', '_'), word.substring(eq + 1));
    }
  }

  /** Words between blanks; a backslash takes the next character as it is. */
  private static List<String> words(String text) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    boolean inWord = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        word.append(text.charAt(++i));
        inWord = true;
      } else if (Character.isWhitespace(c)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
          inWord = false;
        }
      } else {
        word.append(c);
        inWord = true;
      }
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }
}
