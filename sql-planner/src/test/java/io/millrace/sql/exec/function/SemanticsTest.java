package io.millrace.sql.exec.function;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.semantics.CastRow;
import io.millrace.sql.semantics.OperatorRow;
import io.millrace.sql.semantics.Semantics;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SemanticsTest {
  private final FunctionRegistry registry = FunctionRegistry.builder().build();
  private final Semantics semantics = Semantics.load(registry);

  @Test
  void everyKernelIsReachableByARow() {
    Set<String> rows = new HashSet<>();
    semantics.allFunctions().forEach(r -> rows.add(r.id().signature()));
    semantics.allOperators().forEach(r -> rows.add(r.function().signature()));
    var unreachable = new ArrayList<>(registry.signatures());
    unreachable.removeAll(rows);
    unreachable.removeIf(s -> semantics.function(new FunctionId(s)) != null); // the fallbacks
    // What the analyser calls by itself, and nobody by name.
    unreachable.removeIf(
        s ->
            s.matches("instant[0369]\\(int8\\):timestamp(tz)?(_ns)?")
                || s.equals("domain_refuses(anyelement,text,text)")
                || s.equals("sample_draw(float8,text)")
                || s.equals("sample_percent(float8)"));
    assertThat(unreachable).isEmpty();
  }

  @Test
  void everyOperatorHasAKernelOrIsAComparison() {
    var missing = new ArrayList<String>();
    for (OperatorRow row : Semantics.loadAll().allOperators()) {
      if (row.comparison() == null && !registry.isScalar(row.function())) {
        missing.add(row.name() + " " + row.function());
      }
    }
    // Text search is not there.
    assertThat(missing).containsExactlyInAnyOrderElementsOf(List.of("@@ ts_match_tt(text,text)"));
  }

  @Test
  void everyAggregateAndWindowFunctionHasAKernel() {
    var missing = new ArrayList<String>();
    Semantics.loadAll().allFunctions().stream()
        .filter(r -> r.kind() != 'f')
        .filter(r -> !registry.isAggregate(r.id()) && !registry.isWindow(r.id()))
        .forEach(r -> missing.add(r.id().signature()));
    assertThat(missing).isEmpty();
  }

  @Test
  void comparisonsNameTheTypeTheyCompareAs() {
    OperatorRow row =
        semantics.operators("=").stream()
            .filter(r -> SqlType.INT4.equals(r.left()) && SqlType.INT8.equals(r.right()))
            .findFirst()
            .orElseThrow();
    assertThat(row.comparison()).isEqualTo(Expr.Op.EQ);
    assertThat(row.compareAs()).isEqualTo(SqlType.INT8);
    assertThat(row.negator()).isEqualTo("<>");
  }

  @Test
  void castsAreFoundAndDerived() {
    CastRow c = Objects.requireNonNull(semantics.cast(SqlType.INT4, SqlType.INT8));
    assertThat(c.implicit()).isTrue();
    assertThat(c.function()).isEqualTo(new FunctionId("cast(int4):int8"));
    c = Objects.requireNonNull(semantics.cast(SqlType.FLOAT8, SqlType.INT4));
    assertThat(c.context()).isEqualTo('a');
    c = Objects.requireNonNull(semantics.cast(SqlType.TEXT, SqlType.INT4));
    assertThat(c.context()).isEqualTo('e');
    assertThat(c.method()).isEqualTo(CastRow.Method.TEXT);
    c = Objects.requireNonNull(semantics.cast(SqlType.TEXT, SqlType.varchar(3)));
    assertThat(c.assignment()).isEqualTo(new FunctionId("assign(text):varchar"));
    c =
        Objects.requireNonNull(
            semantics.cast(SqlType.arrayOf(SqlType.INT4), SqlType.arrayOf(SqlType.TEXT)));
    assertThat(c.context()).isEqualTo('a');
    assertThat(semantics.cast(SqlType.BOOL, SqlType.DATE)).isNull();
    assertThat(semantics.cast(SqlType.TIMESTAMP, SqlType.INTERVAL)).isNull();
  }

  @Test
  void functionsCarryDefaultsAndColumns() {
    var row = semantics.functions("make_interval").stream().findFirst().orElseThrow();
    assertThat(row.defaults()).hasSize(7);
    assertThat(row.argNames()).first().isEqualTo("years");
    var each = semantics.functions("json_each").getFirst();
    assertThat(each.returnsSet()).isTrue();
    assertThat(each.result().fields())
        .extracting(SqlType.Field::name)
        .containsExactly("key", "value");
    assertThat(semantics.functions("percentile_cont").getFirst().aggregateKind()).isEqualTo('o');
    assertThat(semantics.functions("concat").getFirst().args().getFirst().kind())
        .isEqualTo(TypeKind.ANY);
  }
}
