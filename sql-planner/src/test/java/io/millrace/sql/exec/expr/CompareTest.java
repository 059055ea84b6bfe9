package io.millrace.sql.exec.expr;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.Expr.Op;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every path of comparison and membership against the plain definition. */
class CompareTest {
  private static final List<SqlType> TYPES =
      List.of(
          SqlType.BOOL,
          SqlType.INT4,
          SqlType.INT8,
          SqlType.FLOAT4,
          SqlType.FLOAT8,
          SqlType.TEXT,
          SqlType.BPCHAR,
          SqlType.NUMERIC,
          SqlType.OID);

  private static @Nullable Object value(Random r, SqlType t) {
    if (r.nextInt(8) == 0) {
      return null;
    }
    int v = r.nextInt(7) - 3;
    return switch (t.kind()) {
      case BOOL -> v > 0;
      case INT4 -> v == 3 ? Integer.MAX_VALUE : v == -3 ? Integer.MIN_VALUE : v;
      case OID -> v;
      case INT8 -> v == 3 ? Long.MAX_VALUE : v == -3 ? Long.MIN_VALUE : (long) v;
      case FLOAT4 -> v == 3 ? Float.NaN : v == -3 ? -0f : (float) v;
      case FLOAT8 ->
          v == 3 ? Double.NaN : v == -3 ? -0.0 : v == 2 ? Double.POSITIVE_INFINITY : (double) v;
      case TEXT -> "x".repeat(v + 3) + (v % 2 == 0 ? "é" : "");
      case BPCHAR -> "k" + Math.abs(v) % 3 + " ".repeat(r.nextInt(3));
      case NUMERIC -> BigDecimal.valueOf(v * (r.nextBoolean() ? 10L : 1L), r.nextInt(2));
      default -> throw new IllegalArgumentException();
    };
  }

  private static int order(Object a, Object b, SqlType t) {
    return switch (a) {
      case Boolean x -> Boolean.compare(x, (Boolean) b);
      case Integer x ->
          t.kind().isOid()
              ? Integer.compareUnsigned(x, (Integer) b)
              : Integer.compare(x, (Integer) b);
      case Long x -> Long.compare(x, (Long) b);
      case Float x -> x + 0f == (Float) b + 0f ? 0 : Float.compare(x, (Float) b);
      case Double x -> x + 0.0 == (Double) b + 0.0 ? 0 : Double.compare(x, (Double) b);
      case BigDecimal x -> x.compareTo((BigDecimal) b);
      case String x -> {
        String y = (String) b;
        if (t == SqlType.BPCHAR) {
          x = x.stripTrailing();
          y = y.stripTrailing();
        }
        yield Arrays.compareUnsigned(
            x.getBytes(StandardCharsets.UTF_8), y.getBytes(StandardCharsets.UTF_8));
      }
      default -> throw new IllegalArgumentException();
    };
  }

  private static @Nullable Boolean model(Op op, @Nullable Object a, @Nullable Object b, SqlType t) {
    if (op == Op.IS_DISTINCT || op == Op.IS_NOT_DISTINCT) {
      boolean same = a == null || b == null ? a == b : order(a, b, t) == 0;
      return same == (op == Op.IS_NOT_DISTINCT);
    }
    if (a == null || b == null) {
      return null;
    }
    int o = order(a, b, t);
    return switch (op) {
      case EQ -> o == 0;
      case NE -> o != 0;
      case LT -> o < 0;
      case LE -> o <= 0;
      case GT -> o > 0;
      default -> o >= 0;
    };
  }

  private static Vector vector(SqlType t, List<@Nullable Object> values) {
    VectorBuilder b = VectorBuilder.of(t, values.size());
    for (Object o : values) {
      if (o == null) {
        b.appendNull();
        continue;
      }
      switch (b) {
        case VectorBuilder.Bools x -> x.append((Boolean) o);
        case VectorBuilder.Ints x -> x.append((Integer) o);
        case VectorBuilder.Longs x -> x.append((Long) o);
        case VectorBuilder.Floats x -> x.append((Float) o);
        case VectorBuilder.Doubles x -> x.append((Double) o);
        case VectorBuilder.Bytes x -> x.append((String) o);
        case VectorBuilder.Numerics x -> x.append((BigDecimal) o);
        default -> throw new IllegalArgumentException();
      }
    }
    return b.build();
  }

  /** The same strings as dictionary codes; NULLs have code -1. */
  private static Vector dictionary(SqlType t, List<@Nullable Object> values) {
    var entries = new ArrayList<Object>();
    int[] codes = new int[values.size()];
    for (int i = 0; i < codes.length; i++) {
      Object o = values.get(i);
      if (o != null && !entries.contains(o)) {
        entries.add(o);
      }
      codes[i] = o == null ? -1 : entries.indexOf(o);
    }
    var text = new StringBuilder();
    int[] offsets = new int[entries.size() + 1];
    for (int i = 0; i < entries.size(); i++) {
      text.append(entries.get(i));
      offsets[i + 1] = text.toString().getBytes(StandardCharsets.UTF_8).length;
    }
    Vector plain = vector(t, values);
    return new DictVector(
        t,
        codes,
        new DictVector.FixedDictionary(
            offsets, text.toString().getBytes(StandardCharsets.UTF_8), entries.size(), false),
        codes.length,
        plain.validity());
  }

  private static void check(String what, Eval e, Batch batch, List<@Nullable Boolean> expected) {
    var got = (BoolVector) e.eval(Rows.of(batch));
    int[] positions = new int[batch.rows()];
    int n = e.filter(Rows.of(batch), positions);
    int k = 0;
    for (int i = 0; i < batch.rows(); i++) {
      Boolean is = got.isNull(i) ? null : got.get(i);
      assertThat(is).as("%s row %d", what, i).isEqualTo(expected.get(i));
      if (is != null && is) {
        assertThat(k).as(what).isLessThan(n);
        assertThat(positions[k++]).as(what).isEqualTo(i);
      }
    }
    assertThat(n).as(what).isEqualTo(k);
  }

  @Test
  void comparisonsFollowTheOrderOfTheirType() {
    for (int round = 0; round < 40; round++) {
      long seed = 100 + round;
      var r = new Random(seed);
      for (SqlType t : TYPES) {
        int n = 1 + r.nextInt(90);
        var a = new ArrayList<@Nullable Object>();
        var b = new ArrayList<@Nullable Object>();
        for (int i = 0; i < n; i++) {
          a.add(value(r, t));
          b.add(value(r, t));
        }
        Object c = value(r, t);
        boolean coded = (t == SqlType.TEXT || t == SqlType.BPCHAR) && r.nextBoolean();
        var batch = new Batch(List.of(coded ? dictionary(t, a) : vector(t, a), vector(t, b)), n);
        var left = new Call.Column(0, t);
        var right = new Call.Column(1, t);
        var constant = new Const(t, vector(t, Arrays.asList(c)));
        for (Op op : Op.values()) {
          var columns = new ArrayList<@Nullable Boolean>();
          var withConstant = new ArrayList<@Nullable Boolean>();
          var fromConstant = new ArrayList<@Nullable Boolean>();
          for (int i = 0; i < n; i++) {
            columns.add(model(op, a.get(i), b.get(i), t));
            withConstant.add(model(op, a.get(i), c, t));
            fromConstant.add(model(op, c, a.get(i), t));
          }
          String what = "seed " + seed + " " + t + " " + op + " " + c;
          check(what, new Compare(op, left, right), batch, columns);
          check(what, new Compare(op, left, constant), batch, withConstant);
          check(what, new Compare(op, constant, left), batch, fromConstant);
          check(
              what + " and",
              new Logic.Junction(
                  new Eval[] {new Compare(op, left, constant), new Compare(Op.EQ, left, right)},
                  false),
              batch,
              and(withConstant, a, b, t));
        }
        if (t == SqlType.BPCHAR) {
          continue;
        }
        var options = new ArrayList<@Nullable Object>();
        int m = 1 + r.nextInt(30);
        for (int i = 0; i < m; i++) {
          options.add(value(r, t));
        }
        boolean negated = r.nextBoolean();
        var in = new ArrayList<@Nullable Boolean>();
        for (int i = 0; i < n; i++) {
          in.add(membership(a.get(i), options, negated, t));
        }
        check("seed " + seed + " in " + t, new InSet(left, vector(t, options), negated), batch, in);
      }
    }
  }

  private static List<@Nullable Boolean> and(
      List<@Nullable Boolean> x, List<@Nullable Object> a, List<@Nullable Object> b, SqlType t) {
    var out = new ArrayList<@Nullable Boolean>();
    for (int i = 0; i < x.size(); i++) {
      Boolean p = x.get(i);
      Boolean q = model(Op.EQ, a.get(i), b.get(i), t);
      out.add(
          Boolean.FALSE.equals(p) || Boolean.FALSE.equals(q)
              ? Boolean.FALSE
              : p == null || q == null ? null : Boolean.TRUE);
    }
    return out;
  }

  private static @Nullable Boolean membership(
      @Nullable Object v, List<@Nullable Object> options, boolean negated, SqlType t) {
    boolean unknown = false;
    for (Object o : options) {
      Boolean e = model(Op.EQ, v, o, t);
      unknown |= e == null;
      if (Boolean.TRUE.equals(e)) {
        return !negated;
      }
    }
    return unknown ? null : negated;
  }

  @Test
  void constantsAreExpandedToAnyLength() {
    var c = new Const(SqlType.TEXT, vector(SqlType.TEXT, List.of("ab")));
    for (int n : new int[] {5, 3, 9, 1, 0}) {
      Vector v = c.eval(Rows.none(n));
      assertThat(v.length()).isEqualTo(n);
    }
    Expr e = new Expr.Literal(SqlType.INT8, vector(SqlType.INT8, List.of(7L)));
    assertThat(e.type()).isEqualTo(SqlType.INT8);
  }
}
