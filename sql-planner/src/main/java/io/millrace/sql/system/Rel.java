package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A relation as pg_class knows it, with its indexes.
 *
 * @param kind r table, v view, S sequence
 * @param table null for the others
 * @param view null for the others
 * @param sequence null for the others
 */
record Rel(
    int oid,
    int namespace,
    String schema,
    String name,
    char kind,
    List<Att> atts,
    List<Index> indexes,
    @Nullable TableInfo table,
    @Nullable ViewInfo view,
    @Nullable SequenceInfo sequence) {

  /** A column. */
  record Att(
      String name,
      SqlType type,
      int number,
      boolean notNull,
      @Nullable String defaultSql,
      String generated,
      @Nullable String comment,
      int userType) {

    Att(
        String name,
        SqlType type,
        int number,
        boolean notNull,
        @Nullable String defaultSql,
        String generated,
        @Nullable String comment) {
      this(name, type, number, notNull, defaultSql, generated, comment, 0);
    }

    /** Oid of the type as it was declared. */
    int typeOid() {
      return userType == 0 ? type.oid() : userType;
    }
  }

  /**
   * A key of an index.
   *
   * @param att null for an expression
   */
  record Key(@Nullable Att att, String expression, boolean descending, boolean nullsFirst) {}

  /**
   * An index: behind a primary key or unique constraint, or made by CREATE INDEX.
   *
   * @param constraint null for one that CREATE INDEX made
   * @param columns its plain columns, INCLUDE's behind the keys'
   * @param where condition of a partial index
   */
  record Index(
      int oid,
      String name,
      TableInfo.@Nullable Constraint constraint,
      boolean unique,
      String method,
      List<Key> keys,
      List<Att> include,
      @Nullable String where) {
    boolean primary() {
      return constraint != null && constraint.kind() == 'p';
    }

    int width() {
      return keys.size() + include.size();
    }

    /** Attributes of the index as pg_attribute shows them. */
    List<Att> columns() {
      var out = new ArrayList<Att>();
      int n = 0;
      for (Key k : keys) {
        n++;
        Att a = k.att();
        out.add(
            a != null
                ? new Att(a.name(), a.type(), n, false, null, "", null, a.userType())
                : new Att("expr" + (n == 1 ? "" : n), SqlType.TEXT, n, false, null, "", null));
      }
      for (Att a : include) {
        n++;
        out.add(new Att(a.name(), a.type(), n, false, null, "", null, a.userType()));
      }
      return out;
    }

    /** indkey: attribute numbers of the table, 0 for expressions. */
    List<Integer> numbers() {
      var out = new ArrayList<Integer>();
      for (Key k : keys) {
        Att a = k.att();
        out.add(a == null ? 0 : a.number());
      }
      include.forEach(a -> out.add(a.number()));
      return out;
    }
  }

  boolean system() {
    return table == null && view == null && sequence == null;
  }

  @Nullable Att att(int number) {
    for (Att a : atts) {
      if (a.number() == number) {
        return a;
      }
    }
    return null;
  }

  static Rel of(TableInfo t, int namespace) {
    var atts = new ArrayList<Att>();
    for (TableInfo.Column c : t.columns()) {
      atts.add(
          new Att(
              c.name(),
              c.type(),
              c.attnum(),
              !c.nullable(),
              c.defaultSql().orElse(null),
              c.generated(),
              c.comment().orElse(null),
              c.userType()));
    }
    var indexes = new ArrayList<Index>();
    for (TableInfo.Constraint c : t.constraints()) {
      if (c.kind() == 'p' || c.kind() == 'u') {
        indexes.add(
            new Index(
                Oids.index(c.oid()),
                c.name(),
                c,
                true,
                "btree",
                key(t, c, atts).stream().map(a -> new Key(a, "", false, false)).toList(),
                List.of(),
                null));
      }
    }
    for (TableInfo.Index x : t.indexes()) {
      indexes.add(index(t, x, atts));
    }
    return new Rel(
        t.oid(),
        namespace,
        t.schema(),
        t.name(),
        t.materialized() ? 'm' : 'r',
        List.copyOf(atts),
        indexes,
        t,
        null,
        null);
  }

  private static Index index(TableInfo t, TableInfo.Index x, List<Att> atts) {
    var keys = new ArrayList<Key>();
    for (TableInfo.Key k : x.keys()) {
      keys.add(
          new Key(
              k.columnId() == 0 ? null : att(t, k.columnId(), atts),
              k.expression(),
              k.descending(),
              k.nullsFirst()));
    }
    var include = new ArrayList<Att>();
    for (int id : x.includeIds()) {
      Att a = att(t, id, atts);
      if (a != null) {
        include.add(a);
      }
    }
    return new Index(
        x.oid(), x.name(), null, x.unique(), x.method(), keys, include, x.where().orElse(null));
  }

  private static @Nullable Att att(TableInfo t, int columnId, List<Att> atts) {
    int number = t.columnById(columnId).map(TableInfo.Column::attnum).orElse(0);
    return atts.stream().filter(a -> a.number() == number).findFirst().orElse(null);
  }

  static Rel of(SequenceInfo s, int namespace) {
    return new Rel(
        s.oid(),
        namespace,
        s.schema(),
        s.name(),
        'S',
        List.of(
            new Att("last_value", SqlType.INT8, 1, true, null, "", null),
            new Att("log_cnt", SqlType.INT8, 2, true, null, "", null),
            new Att("is_called", SqlType.BOOL, 3, true, null, "", null)),
        List.of(),
        null,
        null,
        s);
  }

  /** A constraint's columns; the key of a table with a time index ends with it. */
  private static List<Att> key(TableInfo t, TableInfo.Constraint c, List<Att> atts) {
    var out = new ArrayList<Att>();
    var ids = new ArrayList<>(c.columnIds());
    if (c.kind() == 'p') {
      t.timeIndex().map(TableInfo.Column::id).filter(id -> !ids.contains(id)).ifPresent(ids::add);
    }
    for (int id : ids) {
      t.columnById(id)
          .flatMap(x -> atts.stream().filter(a -> a.number() == x.attnum()).findFirst())
          .ifPresent(out::add);
    }
    return List.copyOf(out);
  }

  /** Columns of a constraint as attribute numbers. */
  static List<Integer> numbers(List<Att> columns) {
    return columns.stream().map(Att::number).toList();
  }

  /** All columns of a constraint of this table. */
  List<Att> columns(TableInfo.Constraint c) {
    TableInfo t = table;
    return t == null ? List.of() : key(t, c, atts);
  }

  static Rel of(ViewInfo v, int namespace) {
    var atts = new ArrayList<Att>();
    for (int i = 0; i < v.columnNames().size(); i++) {
      atts.add(
          new Att(v.columnNames().get(i), v.columnTypes().get(i), i + 1, false, null, "", null));
    }
    return new Rel(
        v.oid(), namespace, v.schema(), v.name(), 'v', List.copyOf(atts), List.of(), null, v, null);
  }

  static Rel of(SystemRelation s, char kind, boolean[] notNull) {
    var atts = new ArrayList<Att>();
    for (int i = 0; i < s.columns().size(); i++) {
      SystemRelation.Column c = s.columns().get(i);
      atts.add(new Att(c.name(), c.type(), i + 1, notNull[i], null, "", null));
    }
    int namespace = s.schema().equals("pg_catalog") ? Oids.PG_CATALOG : Oids.INFORMATION_SCHEMA;
    return new Rel(
        s.oid(),
        namespace,
        s.schema(),
        s.name(),
        kind,
        List.copyOf(atts),
        List.of(),
        null,
        null,
        null);
  }

  /** atttypmod: what PostgreSQL keeps, with our nine digits. */
  static int typmod(SqlType t) {
    SqlType x = t.kind() == TypeKind.ARRAY ? t.elementType() : t;
    return x.typmod();
  }
}
