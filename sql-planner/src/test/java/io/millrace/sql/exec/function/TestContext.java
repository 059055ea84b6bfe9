package io.millrace.sql.exec.function;

import io.millrace.common.time.ManualClock;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** A context over an empty catalog. */
final class TestContext {
  static final long NOW = 1_577_880_000_000_000L;

  private TestContext() {}

  static EvalContext context() {
    var catalog =
        (CatalogSnapshot)
            Proxy.newProxyInstance(
                TestContext.class.getClassLoader(),
                new Class<?>[] {CatalogSnapshot.class},
                (_, m, _) -> {
                  throw new UnsupportedOperationException(m.getName());
                });
    return new EvalContext(
        catalog,
        SessionFormat.DEFAULT,
        new SessionInfo("millrace", "tester", List.of("public"), 1, Map.of()),
        NOW,
        NOW,
        new ManualClock(NOW),
        RandomGenerator.of("L64X128MixRandom"),
        () -> {});
  }
}
