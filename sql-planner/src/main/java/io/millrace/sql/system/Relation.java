package io.millrace.sql.system;

import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.SystemRelation;
import java.util.ArrayList;
import java.util.List;

/** A system relation and what fills it. */
record Relation(SystemRelation definition, Filler filler) {
  /** Puts the relation's rows into the sink. */
  @FunctionalInterface
  interface Filler {
    void fill(ScanContext context, RowSink out);
  }

  static Builder of(int oid, String schema, String name) {
    return new Builder(oid, schema, name);
  }

  /** Columns in order, then the filler. */
  static final class Builder {
    private final int oid;
    private final String schema;
    private final String name;
    private final List<SystemRelation.Column> columns = new ArrayList<>();

    private Builder(int oid, String schema, String name) {
      this.oid = oid;
      this.schema = schema;
      this.name = name;
    }

    /** Several columns of one type. */
    Builder columns(SqlType type, String... names) {
      for (String n : names) {
        columns.add(new SystemRelation.Column(n, type));
      }
      return this;
    }

    Relation filledBy(Filler filler) {
      return new Relation(new SystemRelation(oid, schema, name, columns), filler);
    }
  }
}
