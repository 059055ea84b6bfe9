package io.millrace.sql.exec.function;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Kernels over much text look often whether the query is to end. */
class CancellationTest {
  private static final int ROWS = 256;
  private static final int LENGTH = 16 << 10;

  private static Vector texts(String value) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, ROWS);
    for (int i = 0; i < ROWS; i++) {
      b.append(value + i);
    }
    return b.build();
  }

  private static Vector repeated(String value) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, ROWS);
    for (int i = 0; i < ROWS; i++) {
      b.append(value);
    }
    return b.build();
  }

  private static long checks(String signature, SqlType result, Vector... args) {
    EvalContext c = TestContext.context();
    long[] checks = new long[1];
    var counting =
        new EvalContext(
            c.catalog(),
            c.format(),
            c.session(),
            c.nowMicros(),
            c.statementMicros(),
            c.clock(),
            c.random(),
            () -> checks[0]++);
    FunctionRegistry.builder()
        .build()
        .scalar(
            new FunctionId(signature), List.of(args).stream().map(Vector::type).toList(), result)
        .apply(List.of(args), ROWS, counting);
    return checks[0];
  }

  /** Once for 64 KiB at the least. */
  private static final long EXPECTED = (long) ROWS * LENGTH / (64 << 10);

  @Test
  void patternsCheckByTheAmountOfText() {
    Vector text = texts("ab".repeat(LENGTH / 2));
    assertThat(checks("textlike(text,text)", SqlType.BOOL, text, repeated("%a%c%")))
        .isGreaterThanOrEqualTo(EXPECTED - 1);
    assertThat(checks("textregexeq(text,text)", SqlType.BOOL, text, repeated("(a|b)*c")))
        .isGreaterThanOrEqualTo(EXPECTED);
    assertThat(
            checks(
                "regexp_replace(text,text,text)",
                SqlType.TEXT,
                text,
                repeated("b+c"),
                repeated("x")))
        .isGreaterThanOrEqualTo(EXPECTED);
  }
}
