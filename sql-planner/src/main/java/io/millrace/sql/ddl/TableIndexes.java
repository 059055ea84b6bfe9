package io.millrace.sql.ddl;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the indexes of a table mean to its regions. Those of the column options INVERTED, SKIPPING
 * and FULLTEXT INDEX are what they say; an index of CREATE INDEX on one plain column, not unique
 * and of all rows, is an inverted one, unless the column leads the key, by which rows are sorted
 * anyway.
 */
public final class TableIndexes {
  static final String TAGS = "index.tags";
  static final String KEY_BLOOM = "index.key_bloom";

  private TableIndexes() {}

  /** The table with its regions' options as its indexes have them. */
  static TableInfo applied(TableInfo t) {
    IndexOptions index = options(t);
    return index.equals(t.regionOptions().index())
        ? t
        : t.edit().regionOptions(t.regionOptions().withIndex(index)).build();
  }

  private static IndexOptions options(TableInfo t) {
    var columns = new ArrayList<ColumnIndex>();
    for (TableInfo.Index x : t.indexes()) {
      columnIndex(t, x).filter(c -> isNew(columns, c)).ifPresent(columns::add);
    }
    return new IndexOptions(flag(t, KEY_BLOOM, false), flag(t, TAGS, true), columns);
  }

  private static boolean flag(TableInfo t, String key, boolean usual) {
    String v = t.options().get(key);
    return v == null ? usual : v.equals("true");
  }

  private static boolean isNew(List<ColumnIndex> all, ColumnIndex c) {
    return all.stream().noneMatch(x -> x.columnId() == c.columnId() && x.kind() == c.kind());
  }

  private static Optional<ColumnIndex> columnIndex(TableInfo t, TableInfo.Index x) {
    boolean plain =
        x.keys().size() == 1 && x.where().isEmpty() && x.keys().getFirst().columnId() > 0;
    if (!plain) {
      return Optional.empty();
    }
    int id = x.keys().getFirst().columnId();
    Optional<IndexKind> own = kind(x.method());
    if (own.isEmpty()) {
      boolean leads =
          t.storage().timeIndexId() == id
              || !t.storage().tagIds().isEmpty() && t.storage().tagIds().getFirst() == id;
      boolean fits =
          !x.unique()
              && !leads
              && (x.method().equals("btree") || x.method().equals("hash"))
              && t.columnById(id).filter(c -> IndexKind.INVERTED.supports(c.type())).isPresent();
      return fits ? Optional.of(ColumnIndex.of(id, IndexKind.INVERTED)) : Optional.empty();
    }
    Map<String, String> o = x.options();
    return Optional.of(
        new ColumnIndex(
            id,
            own.get(),
            Integer.parseInt(
                o.getOrDefault("granularity", Integer.toString(ColumnIndex.DEFAULT_GRANULARITY))),
            Double.parseDouble(
                o.getOrDefault(
                    "false_positive_rate",
                    Double.toString(ColumnIndex.DEFAULT_FALSE_POSITIVE_RATE))),
            o.getOrDefault("case_sensitive", "false").equals("true")));
  }

  /** The kind of index that an access method stands for; empty for PostgreSQL's own. */
  public static Optional<IndexKind> kind(String method) {
    return switch (method) {
      case "inverted" -> Optional.of(IndexKind.INVERTED);
      case "skipping" -> Optional.of(IndexKind.SKIPPING);
      case "fulltext" -> Optional.of(IndexKind.FULLTEXT);
      default -> Optional.empty();
    };
  }

  /**
   * Checks the options of a column's index and completes them.
   *
   * @throws MillraceException for types that cannot have it, unknown options and bad values
   */
  public static Map<String, String> check(
      IndexKind kind, String column, SqlType type, Map<String, String> given) {
    if (!kind.supports(type)) {
      throw new MillraceException(
              ErrorCode.WRONG_OBJECT_TYPE,
              "column \""
                  + column
                  + "\" of type "
                  + type.sqlName()
                  + " cannot have "
                  + (kind == IndexKind.INVERTED ? "an " : "a ")
                  + kind.name().toLowerCase(Locale.ROOT)
                  + " index")
          .withHint(
              kind == IndexKind.FULLTEXT
                  ? "Full-text indexes are for columns of type text and varchar."
                  : "Columns of json, array and record types have no indexes.");
    }
    var known = new TreeMap<String, String>();
    switch (kind) {
      case SKIPPING -> {
        bloom(known);
        known.put("type", "BLOOM");
      }
      case FULLTEXT -> {
        bloom(known);
        known.put("analyzer", "English");
        known.put("backend", "bloom");
        known.put("case_sensitive", "false");
      }
      case INVERTED, KEY_BLOOM -> {}
    }
    var out = new TreeMap<>(known);
    given.forEach(
        (k, v) -> {
          String key = k.toLowerCase(Locale.ROOT);
          if (!known.containsKey(key)) {
            MillraceException e =
                new MillraceException(
                    ErrorCode.INVALID_PARAMETER_VALUE, "unrecognized index option \"" + k + "\"");
            throw known.isEmpty()
                ? e
                : e.withHint("Known options: " + String.join(", ", known.keySet()) + ".");
          }
          out.put(key, value(key, v.trim()));
        });
    return out;
  }

  private static void bloom(Map<String, String> known) {
    known.put("granularity", Integer.toString(ColumnIndex.DEFAULT_GRANULARITY));
    known.put("false_positive_rate", Double.toString(ColumnIndex.DEFAULT_FALSE_POSITIVE_RATE));
  }

  private static String value(String key, String v) {
    return switch (key) {
      case "granularity" -> {
        Integer n = whole(v);
        if (n == null || n < 1) {
          throw invalid(key, v, "a whole number from 1 on");
        }
        yield n.toString();
      }
      case "false_positive_rate" -> {
        Double x = fraction(v);
        if (x == null || !(x > 0 && x < 1)) {
          throw invalid(key, v, "a number between 0 and 1");
        }
        yield x.toString();
      }
      case "type" -> oneOf(key, v, "BLOOM");
      case "analyzer" -> oneOf(key, v, "English", "Chinese");
      case "backend" -> oneOf(key, v, "bloom", "tantivy");
      default -> oneOf(key, v, "true", "false");
    };
  }

  private static String oneOf(String key, String v, String... allowed) {
    for (String a : allowed) {
      if (a.equalsIgnoreCase(v)) {
        return a;
      }
    }
    throw invalid(key, v, String.join(", ", allowed));
  }

  private static @Nullable Integer whole(String v) {
    try {
      return Integer.valueOf(v);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static @Nullable Double fraction(String v) {
    try {
      return Double.valueOf(v);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static MillraceException invalid(String key, String value, String allowed) {
    return new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE,
            "invalid value for index option \"" + key + "\": \"" + value + "\"")
        .withHint("Allowed: " + allowed + ".");
  }
}
