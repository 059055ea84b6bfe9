package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.TableInfo;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.jspecify.annotations.Nullable;

/**
 * The names that expressions of one query level may use: range table entries for qualified names
 * and the columns that unqualified ones mean. A name that is not found is looked for in the level
 * around, where it becomes a field of that level's correlation variable.
 */
final class Scope {
  /**
   * A column.
   *
   * @param rex over the level's row
   * @param tableOid 0 unless a plain column of a table
   */
  record Field(String name, SqlType type, RexNode rex, int tableOid, int attnum) {
    Field over(RexNode newRex) {
      return new Field(name, type, newRex, tableOid, attnum);
    }

    Field named(String newName) {
      return new Field(newName, type, rex, tableOid, attnum);
    }
  }

  /**
   * An entry that qualified names find by its alias.
   *
   * @param relation the relation's own name where the alias hides it, for hints
   * @param schema of a table without alias, so that schema.table.column finds it; else null
   * @param lateral may not be used (it stands right of a RIGHT or FULL join's left side)
   */
  record Entry(
      String alias,
      @Nullable String relation,
      @Nullable String schema,
      List<Field> fields,
      @Nullable TableInfo table) {
    Entry over(List<Field> newFields) {
      return new Entry(alias, relation, schema, newFields, table);
    }
  }

  /**
   * The way to the level around.
   *
   * @param row the row that the correlation variable stands for
   */
  static final class Link {
    final Scope scope;
    final CorrelationId id;
    final RelDataType row;
    boolean used;

    Link(Scope scope, CorrelationId id, RelDataType row) {
      this.scope = scope;
      this.id = id;
      this.row = row;
    }
  }

  /** What a name means. */
  record Found(Field field, boolean outer) {}

  private final List<Entry> entries;
  private final List<Field> columns;
  private final @Nullable Link outer;
  private final RexBuilder rex;
  private final RelDataType row;
  private final Set<CorrelationId> given = new LinkedHashSet<>();

  Scope(
      List<Entry> entries,
      List<Field> columns,
      RelDataType row,
      @Nullable Link outer,
      RexBuilder rex) {
    this.row = row;
    this.entries = entries;
    this.columns = columns;
    this.outer = outer;
    this.rex = rex;
  }

  List<Entry> entries() {
    return entries;
  }

  /** What * gives. */
  List<Field> columns() {
    return columns;
  }

  /** The row that the fields refer to. */
  RelDataType row() {
    return row;
  }

  @Nullable Link outer() {
    return outer;
  }

  /** Correlation variables that stand for this level's row. */
  Set<CorrelationId> given() {
    return given;
  }

  /** An unqualified name; null if no level has it. */
  @Nullable Found column(String name, int position) {
    Field found = null;
    for (Field f : columns) {
      if (f.name().equals(name)) {
        if (found != null) {
          throw Problems.error(
              ErrorCode.AMBIGUOUS_COLUMN,
              position,
              "column reference \"" + name + "\" is ambiguous");
        }
        found = f;
      }
    }
    if (found != null) {
      return new Found(found, false);
    }
    Link link = outer;
    if (link == null) {
      return null;
    }
    Found up = link.scope.column(name, position);
    return up == null ? null : through(link, up);
  }

  /** The entry of an alias, at this level or around; null if there is none. */
  @Nullable Entry entry(@Nullable String schema, String alias, int position) {
    Entry found = null;
    for (Entry e : entries) {
      if (e.alias().equals(alias) && (schema == null || schema.equals(e.schema()))) {
        if (found != null) {
          throw Problems.error(
              ErrorCode.DUPLICATE_ALIAS,
              position,
              "table reference \"" + alias + "\" is ambiguous");
        }
        found = e;
      }
    }
    if (found != null) {
      return found;
    }
    Link link = outer;
    if (link == null) {
      return null;
    }
    Entry up = link.scope.entry(schema, alias, position);
    if (up == null) {
      return null;
    }
    var fields = new ArrayList<Field>();
    for (Field f : up.fields()) {
      fields.add(through(link, new Found(f, true)).field());
    }
    return up.over(fields);
  }

  private Found through(Link link, Found up) {
    link.used = true;
    RexNode node =
        up.field()
            .rex()
            .accept(
                new RexShuttle() {
                  @Override
                  public RexNode visitInputRef(RexInputRef ref) {
                    return rex.makeFieldAccess(rex.makeCorrel(link.row, link.id), ref.getIndex());
                  }
                });
    return new Found(up.field().over(node), true);
  }

  /** All entries from here outwards, for hints. */
  List<Entry> allEntries() {
    var out = new ArrayList<>(entries);
    if (outer != null) {
      out.addAll(outer.scope.allEntries());
    }
    return out;
  }
}
