package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.SystemRelation;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.ViewInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A relation as pg_class knows it, with its indexes.
 *
 * @param kind r table, v view
 * @param table null for views and system relations
 * @param view null for the others
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
    @Nullable ViewInfo view) {

  /** A column. */
  record Att(
      String name,
      SqlType type,
      int number,
      boolean notNull,
      @Nullable String defaultSql,
      String generated,
      @Nullable String comment) {}

  /** The index behind a primary key or unique constraint. */
  record Index(int oid, String name, TableInfo.Constraint constraint, List<Att> columns) {
    boolean primary() {
      return constraint.kind() == 'p';
    }
  }

  boolean system() {
    return table == null && view == null;
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
              c.comment().orElse(null)));
    }
    var indexes = new ArrayList<Index>();
    for (TableInfo.Constraint c : t.constraints()) {
      if (c.kind() == 'p' || c.kind() == 'u') {
        indexes.add(new Index(Oids.index(c.oid()), c.name(), c, key(t, c, atts)));
      }
    }
    return new Rel(
        t.oid(), namespace, t.schema(), t.name(), 'r', List.copyOf(atts), indexes, t, null);
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
        v.oid(), namespace, v.schema(), v.name(), 'v', List.copyOf(atts), List.of(), null, v);
  }

  static Rel of(SystemRelation s, char kind, boolean[] notNull) {
    var atts = new ArrayList<Att>();
    for (int i = 0; i < s.columns().size(); i++) {
      SystemRelation.Column c = s.columns().get(i);
      atts.add(new Att(c.name(), c.type(), i + 1, notNull[i], null, "", null));
    }
    int namespace = s.schema().equals("pg_catalog") ? Oids.PG_CATALOG : Oids.INFORMATION_SCHEMA;
    return new Rel(
        s.oid(), namespace, s.schema(), s.name(), kind, List.copyOf(atts), List.of(), null, null);
  }

  /** atttypmod: what PostgreSQL keeps, with our nine digits. */
  static int typmod(SqlType t) {
    SqlType x = t.kind() == TypeKind.ARRAY ? t.elementType() : t;
    return x.typmod();
  }
}
