package io.millrace.storage.engine;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionRequest;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Snapshot;
import io.millrace.storage.StagedRows;
import io.millrace.storage.WriteGroup;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine that tells what it is asked to change. */
final class TracedEngine {
  private static final Set<String> TOLD =
      Set.of(
          "request",
          "commit",
          "stage",
          "discard",
          "hold",
          "restoreHold",
          "openGate",
          "collectGarbage",
          "close");

  private TracedEngine() {}

  static RegionEngine of(RegionEngine engine, Consumer<String> tell) {
    return (RegionEngine)
        Proxy.newProxyInstance(
            TracedEngine.class.getClassLoader(),
            new Class<?>[] {RegionEngine.class},
            (_, method, arguments) -> {
              if (TOLD.contains(method.getName())) {
                tell.accept(method.getName() + text(arguments));
              }
              try {
                return method.invoke(engine, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static List<String> text(Object @Nullable [] arguments) {
    var out = new ArrayList<String>();
    for (Object a : arguments == null ? new Object[0] : arguments) {
      out.add(one(a));
    }
    return out;
  }

  private static String one(@Nullable Object a) {
    return switch (a) {
      case WriteGroup g -> one(g.writes()) + (g.staged().isEmpty() ? "" : " and staged rows");
      case RegionWrite w -> write(w);
      case Snapshot _ -> "snapshot";
      case StagedRows _ -> "staged rows";
      case RegionRequest.Create c -> "create " + c.region();
      case RegionRequest.Alter c -> "alter " + c.regions() + " to " + c.options().mergeMode();
      case Collection<?> c -> c.stream().map(TracedEngine::one).toList().toString();
      case null, default -> String.valueOf(a);
    };
  }

  private static String write(RegionWrite w) {
    if (!w.columnIds().contains(Fixture.K) || !(w.rows().column(0) instanceof IntVector key)) {
      return w.region() + " " + w.op() + " of ranges";
    }
    var keys = new ArrayList<Integer>();
    for (int i = 0; i < w.rows().rows(); i++) {
      keys.add(key.get(i));
    }
    String value =
        w.columnIds().contains(Fixture.V) && w.rows().rows() > 0
            ? " = " + ((LongVector) w.rows().column(w.columnIds().indexOf(Fixture.V))).get(0)
            : "";
    return w.region() + " " + w.op() + " " + keys + value;
  }
}
