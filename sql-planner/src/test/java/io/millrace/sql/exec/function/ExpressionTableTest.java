package io.millrace.sql.exec.function;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.BuiltinTypes;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.semantics.FunctionRow;
import io.millrace.sql.semantics.Semantics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Runs the kernels over a table of calls: name, result type, expected value (or !SQLSTATE message),
 * arguments. The expected values are those of PostgreSQL 15.
 */
class ExpressionTableTest {
  private final FunctionRegistry registry = FunctionRegistry.builder().build();
  private final Semantics semantics = Semantics.loadAll();

  private static @Nullable String unescape(String s) {
    if (s.equals("\\N")) {
      return null;
    }
    var out = new StringBuilder();
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '\\') {
        c = s.charAt(++i);
        out.append(c == 'n' ? '\n' : c == 't' ? '\t' : c);
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static SqlType type(String name) {
    int open = name.indexOf('(');
    if (open > 0) {
      SqlType base = type(name.substring(0, open));
      String[] m = name.substring(open + 1, name.length() - 1).split(",");
      int a = Integer.parseInt(m[0]);
      return switch (base.kind()) {
        case NUMERIC -> SqlType.numeric(a, Integer.parseInt(m[1]));
        case VARCHAR, BPCHAR -> base.withTypmod(a + 4);
        case INTERVAL -> base.withTypmod(0x7fff << 16 | a);
        default -> base.withTypmod(a);
      };
    }
    if (name.equals("char")) {
      return SqlType.CHAR;
    }
    return Objects.requireNonNull(BuiltinTypes.parse(name), name);
  }

  /** Two rows: the value, and NULL, which must change nothing for the first. */
  private static Vector vector(SqlType type, @Nullable String text) {
    VectorBuilder b = VectorBuilder.of(type, 2);
    if (text == null) {
      b.appendNull();
    } else {
      byte[] t = text.getBytes(StandardCharsets.UTF_8);
      TypeCodecs.of(type).parseText(t, 0, t.length, b, SessionFormat.DEFAULT);
    }
    return b.build();
  }

  private FunctionId resolve(String name, List<SqlType> args) {
    for (FunctionRow row : semantics.functions(name)) {
      boolean fits =
          row.args().size() == args.size() || (row.variadic() && args.size() >= row.args().size());
      for (int i = 0; fits && i < args.size(); i++) {
        SqlType want = row.args().get(Math.min(i, row.args().size() - 1));
        SqlType got = args.get(i);
        fits =
            switch (want.kind()) {
              case ANY -> true;
              case ANYELEMENT, ANYNONARRAY, ANYCOMPATIBLE ->
                  !got.isArray() || want.kind() == TypeKind.ANYELEMENT;
              case ANYARRAY, ANYCOMPATIBLEARRAY -> got.isArray();
              default -> want.sameKind(got);
            };
      }
      if (fits && registry.isScalar(row.id())) {
        return row.id();
      }
    }
    throw new IllegalArgumentException("no kernel for " + name + args);
  }

  private String evaluate(String[] f) {
    var types = new ArrayList<SqlType>();
    var args = new ArrayList<Vector>();
    String wanted = f[1];
    try {
      for (int i = 3; i < f.length; i++) {
        int colon = f[i].indexOf(':');
        SqlType t = type(f[i].substring(0, colon));
        types.add(t);
        args.add(vector(t, unescape(f[i].substring(colon + 1))));
      }
      SqlType result = wanted.equals("?") ? SqlType.TEXT : type(wanted);
      FunctionId id =
          f[0].equals("cast")
              ? new FunctionId(
                  "cast(" + Semantics.name(types.getFirst()) + "):" + Semantics.name(result))
              : resolve(f[0], types);
      FunctionRow row = semantics.function(id);
      if (wanted.equals("?") && row != null) {
        result = row.result();
        if (result.kind() == TypeKind.ANYCOMPATIBLEARRAY || result.kind() == TypeKind.ANYARRAY) {
          result = types.stream().filter(SqlType::isArray).findFirst().orElse(result);
        }
      }
      Vector out = registry.scalar(id, types, result).apply(args, 1, TestContext.context());
      assertThat(out.length()).isEqualTo(1);
      assertThat(out.type()).as(id.signature()).isEqualTo(result);
      if (out.isNull(0)) {
        return "=\\N";
      }
      var text = new ByteSink();
      TypeCodecs.full(result).writeText(out, 0, text, SessionFormat.DEFAULT);
      String s = text.toString();
      if (result.kind() == TypeKind.BOOL) {
        s = s.equals("t") ? "true" : "false";
      }
      return "=" + s.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t");
    } catch (MillraceException e) {
      return "!" + e.sqlState() + " " + e.message();
    }
  }

  /** Transcendental functions may differ in the last digits from one C library to the next. */
  private static boolean near(String type, String a, String b) {
    if (!type.equals("float8") || a.charAt(0) != '=' || b.charAt(0) != '=' || a.contains("N")) {
      return false;
    }
    double x = Double.parseDouble(a.substring(1));
    double y = Double.parseDouble(b.substring(1));
    return Math.abs(x - y) <= 1e-15 * Math.max(Math.abs(x), Math.abs(y));
  }

  @Test
  void kernelsAgreeWithPostgres() throws IOException {
    var failures = new ArrayList<String>();
    int n = 0;
    try (var in = ExpressionTableTest.class.getResourceAsStream("expressions.tsv")) {
      String all = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      for (String line : all.split("\n")) {
        if (line.isEmpty()) {
          continue;
        }
        n++;
        String[] f = line.split("\t", -1);
        String got;
        try {
          got = evaluate(f);
        } catch (RuntimeException e) {
          got = "crash " + e;
        }
        if (!got.equals(f[2]) && !near(f[1], got, f[2])) {
          failures.add(line + "\n      got " + got);
        }
      }
    }
    assertThat(n).isGreaterThan(500);
    assertThat(failures).as(String.join("\n", failures)).isEmpty();
  }
}
