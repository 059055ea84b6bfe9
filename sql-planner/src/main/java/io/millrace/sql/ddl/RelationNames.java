package io.millrace.sql.ddl;

import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import java.util.regex.Pattern;

/** Names of tables, views, sequences and indexes, which share one space in a schema. */
public final class RelationNames {
  private static final Pattern PLAIN = Pattern.compile("[a-z_][a-z0-9_$]*");

  private RelationNames() {}

  /** Whether a relation of the schema has the name. */
  public static boolean taken(CatalogSnapshot s, String database, String schema, String name) {
    return s.table(database, schema, name).isPresent()
        || s.view(database, schema, name).isPresent()
        || s.sequence(database, schema, name).isPresent()
        || indexOwner(s, database, schema, name);
  }

  private static boolean indexOwner(
      CatalogSnapshot s, String database, String schema, String name) {
    for (TableInfo t : s.tables(database)) {
      if (t.schema().equals(schema) && hasIndex(t, name)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the table has an index of that name, made or behind a constraint. */
  public static boolean hasIndex(TableInfo t, String name) {
    return t.indexes().stream().anyMatch(x -> x.name().equals(name))
        || t.constraints().stream()
            .anyMatch(c -> (c.kind() == 'p' || c.kind() == 'u') && c.name().equals(name));
  }

  /** The name, or the name with the first number behind it that makes it free. */
  public static String free(CatalogSnapshot s, String database, String schema, String wanted) {
    String name = wanted;
    for (int i = 1; taken(s, database, schema, name); i++) {
      name = wanted + i;
    }
    return name;
  }

  /** Schema and name as SQL text, as foreign keys keep it. */
  public static String text(TableInfo t) {
    return text(t.schema(), t.name());
  }

  public static String text(ViewInfo v) {
    return text(v.schema(), v.name());
  }

  public static String text(SequenceInfo s) {
    return text(s.schema(), s.name());
  }

  public static String text(String schema, String name) {
    return quoted(schema) + "." + quoted(name);
  }

  private static String quoted(String name) {
    return PLAIN.matcher(name).matches() ? name : '"' + name.replace("\"", "\"\"") + '"';
  }
}
