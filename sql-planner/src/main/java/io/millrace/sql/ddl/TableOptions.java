package io.millrace.sql.ddl;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.unit.DataSize;
import io.millrace.common.unit.Durations;
import io.millrace.storage.CompactionOptions;
import io.millrace.storage.FileOptions;
import io.millrace.storage.RegionOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The WITH options of tables: which there are, and what they say to the region engine. */
final class TableOptions {
  /** Known keys. */
  static final List<String> KNOWN =
      List.of(
          "append_mode",
          "auto_flush_interval",
          "comment",
          "compaction.twcs.max_output_file_size",
          "compaction.twcs.time_window",
          "compaction.twcs.trigger_file_num",
          "compaction.type",
          "index.key_bloom",
          "index.tags",
          "max_row_group_row_count",
          "memtable.type",
          "merge_mode",
          "skip_wal",
          "sst_format",
          "storage",
          "ttl",
          "write_buffer_size");

  /** Smaller row groups would cost more than they spare. */
  private static final int MIN_GROUP_ROWS = 1000;

  private TableOptions() {}

  /** Checks keys and values; keys in lower case, sorted. */
  static Map<String, String> normalise(Map<String, String> given) {
    var out = new TreeMap<String, String>();
    given.forEach(
        (k, v) -> {
          String key = k.toLowerCase(Locale.ROOT);
          if (!KNOWN.contains(key)) {
            throw new MillraceException(
                    ErrorCode.INVALID_PARAMETER_VALUE, "unrecognized table option \"" + k + "\"")
                .withHint("Known options: " + String.join(", ", KNOWN) + ".");
          }
          boolean flag = key.startsWith("index.");
          out.put(key, flag ? Boolean.toString(bool(Map.of(key, v), key)) : v);
        });
    return out;
  }

  static RegionOptions regionOptions(Map<String, String> options, RegionOptions.KeyMode keyMode) {
    boolean append = bool(options, "append_mode");
    one(options, "memtable.type", "time_series", "partition_tree", "bulk");
    one(options, "sst_format", "primary_key", "flat");
    one(options, "storage", "file");
    bool(options, TableIndexes.TAGS);
    bool(options, TableIndexes.KEY_BLOOM);
    String merge = options.getOrDefault("merge_mode", "last_row");
    RegionOptions.MergeMode mode =
        switch (merge) {
          case "last_row" -> RegionOptions.MergeMode.LAST_ROW;
          case "last_non_null" -> RegionOptions.MergeMode.LAST_NON_NULL;
          default -> throw invalid("merge_mode", merge, "last_row, last_non_null");
        };
    if (append && options.containsKey("merge_mode")) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "merge_mode cannot be combined with append_mode = 'true'");
    }
    if (append && keyMode == RegionOptions.KeyMode.UNIQUE_KEY) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE,
          "append_mode needs a TIME INDEX or a table without PRIMARY KEY");
    }
    return new RegionOptions(
            keyMode,
            append,
            mode,
            ttl(options.get("ttl")),
            bool(options, "skip_wal"),
            options.containsKey("write_buffer_size")
                ? size("write_buffer_size", options.getOrDefault("write_buffer_size", ""))
                : 0,
            compaction(options))
        .withFiles(files(options));
  }

  private static CompactionOptions compaction(Map<String, String> options) {
    String type = options.getOrDefault("compaction.type", "twcs");
    if (!type.equalsIgnoreCase("twcs")) {
      throw invalid("compaction.type", type, "twcs");
    }
    String window = options.get("compaction.twcs.time_window");
    String trigger = options.get("compaction.twcs.trigger_file_num");
    String output = options.get("compaction.twcs.max_output_file_size");
    CompactionOptions standard = CompactionOptions.DEFAULT;
    return new CompactionOptions(
        window == null ? 0 : duration("compaction.twcs.time_window", window),
        trigger == null ? standard.triggerFiles() : count(trigger),
        output == null ? 0 : size("compaction.twcs.max_output_file_size", output));
  }

  /** Checks an option whose values all mean the same here. */
  private static void one(Map<String, String> options, String key, String... allowed) {
    String v = options.get(key);
    if (v != null && Arrays.stream(allowed).noneMatch(v::equalsIgnoreCase)) {
      throw invalid(key, v, String.join(", ", allowed));
    }
  }

  private static FileOptions files(Map<String, String> options) {
    String interval = options.get("auto_flush_interval");
    String rows = options.get("max_row_group_row_count");
    return new FileOptions(
        interval == null ? 0 : duration("auto_flush_interval", interval),
        rows == null ? 0 : groupRows(rows));
  }

  private static int groupRows(String text) {
    try {
      int n = Integer.parseInt(text.trim());
      if (n >= MIN_GROUP_ROWS) {
        return n;
      }
    } catch (NumberFormatException e) {
      throw invalid("max_row_group_row_count", text, "a number from " + MIN_GROUP_ROWS + " on");
    }
    throw invalid("max_row_group_row_count", text, "a number from " + MIN_GROUP_ROWS + " on");
  }

  private static int count(String text) {
    try {
      int n = Integer.parseInt(text.trim());
      if (n >= 2) {
        return n;
      }
    } catch (NumberFormatException e) {
      throw invalid("compaction.twcs.trigger_file_num", text, "a number from 2 on");
    }
    throw invalid("compaction.twcs.trigger_file_num", text, "a number from 2 on");
  }

  private static long duration(String key, String text) {
    try {
      long micros = Durations.parseMicros(text);
      if (micros > 0) {
        return micros;
      }
    } catch (IllegalArgumentException e) {
      throw invalid(key, text, "a duration such as '1d'");
    }
    throw invalid(key, text, "a duration such as '1d'");
  }

  private static long ttl(@org.jspecify.annotations.Nullable String text) {
    if (text == null || text.isBlank()) {
      return 0;
    }
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "forever", "0", "0s" -> 0;
      case "instant" -> -1;
      default -> {
        try {
          yield Durations.parseMicros(text);
        } catch (IllegalArgumentException e) {
          throw invalid("ttl", text, "a duration such as '7d', 'forever' or 'instant'");
        }
      }
    };
  }

  private static long size(String key, String text) {
    try {
      return DataSize.parse(text).bytes();
    } catch (IllegalArgumentException e) {
      throw invalid(key, text, "a size such as '64MiB'");
    }
  }

  private static boolean bool(Map<String, String> options, String key) {
    String v = options.getOrDefault(key, "false").toLowerCase(Locale.ROOT);
    return switch (v) {
      case "true", "on", "1" -> true;
      case "false", "off", "0" -> false;
      default -> throw invalid(key, v, "true, false");
    };
  }

  private static MillraceException invalid(String key, String value, String allowed) {
    return new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE,
            "invalid value for table option \"" + key + "\": \"" + value + "\"")
        .withHint("Allowed: " + allowed + ".");
  }
}
