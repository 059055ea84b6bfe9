package io.millrace.server.statement;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.server.session.Outcome;
import io.millrace.sql.physical.PlanTemplate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Small results of text columns: SHOW, DESC, EXPLAIN. */
final class TextRows {
  private final List<PlanTemplate.ResultColumn> columns;
  private final List<VectorBuilder> builders = new ArrayList<>();
  private int rows;

  TextRows(String... names) {
    this.columns = columns(names);
    for (int i = 0; i < names.length; i++) {
      builders.add(VectorBuilder.of(SqlType.TEXT, 16));
    }
  }

  static List<PlanTemplate.ResultColumn> columns(String... names) {
    var out = new ArrayList<PlanTemplate.ResultColumn>();
    for (String n : names) {
      out.add(new PlanTemplate.ResultColumn(n, SqlType.TEXT, 0, 0));
    }
    return out;
  }

  TextRows row(@Nullable String... values) {
    for (int i = 0; i < values.length; i++) {
      var b = (VectorBuilder.Bytes) builders.get(i);
      String v = values[i];
      if (v == null) {
        b.appendNull();
      } else {
        b.append(v);
      }
    }
    rows++;
    return this;
  }

  Outcome done(String tag) {
    var vectors = new ArrayList<Vector>();
    for (VectorBuilder b : builders) {
      vectors.add(b.build());
    }
    return new Outcome.Rows(columns, List.of(new Batch(vectors, rows)), tag);
  }
}
