package io.millrace.sql.system;

import io.millrace.common.batch.ArrayVector;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.exec.function.SetKernel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers functions over the catalog, written row by row: their calls are few and short. */
final class Fn {
  private final FunctionRegistry.Builder registry;
  private final SystemCatalog catalog;

  Fn(FunctionRegistry.Builder registry, SystemCatalog catalog) {
    this.registry = registry;
    this.catalog = catalog;
  }

  /** The value of one call: String, Number, Boolean, List for arrays or null. */
  @FunctionalInterface
  interface Body {
    @Nullable Object value(Call call);
  }

  /** Puts the rows of one call. */
  @FunctionalInterface
  interface Rows {
    void put(Call call, RowSink out);
  }

  /** A strict function: not asked when an argument is NULL. */
  Fn strict(String signature, Body body) {
    return add(signature, true, body);
  }

  /** A function that is asked whatever its arguments are. */
  Fn lax(String signature, Body body) {
    return add(signature, false, body);
  }

  /** The same for several argument lists. */
  Fn strict(String name, List<String> argumentLists, Body body) {
    for (String a : argumentLists) {
      strict(name + "(" + a + ")", body);
    }
    return this;
  }

  private Fn add(String signature, boolean strict, Body body) {
    registry.scalar(
        signature,
        (_, result) ->
            (args, n, context) -> {
              VectorBuilder out = VectorBuilder.of(result, Math.max(1, n));
              var call = new Call(catalog, args, context);
              for (int i = 0; i < n; i++) {
                call.row = i;
                RowSink.put(out, strict && call.anyNull() ? null : body.value(call));
              }
              return out.build();
            });
    return this;
  }

  /** A set-returning function, strict. */
  Fn set(String signature, Rows rows) {
    registry.set(
        signature,
        (_, result) ->
            (args, row, context) -> {
              var call = new Call(catalog, args, context);
              call.row = row;
              var types = new ArrayList<SqlType>();
              if (result.fields().isEmpty()) {
                types.add(result);
              } else {
                result.fields().forEach(f -> types.add(f.type()));
              }
              var sink = new RowSink(types);
              if (!call.anyNull()) {
                rows.put(call, sink);
              }
              return pieces(sink.build());
            });
    return this;
  }

  private static SetKernel.Rows pieces(Batch all) {
    return new SetKernel.Rows() {
      private int at;

      @Override
      public @Nullable Batch next(int maxRows) {
        if (at >= all.rows()) {
          return null;
        }
        int n = Math.min(maxRows, all.rows() - at);
        Batch out = all.slice(at, n);
        at += n;
        return out;
      }
    };
  }

  /** One call's arguments. */
  static final class Call {
    private final SystemCatalog catalog;
    private final List<Vector> args;
    private final EvalContext context;
    private @Nullable View view;
    private int row;

    Call(SystemCatalog catalog, List<Vector> args, EvalContext context) {
      this.catalog = catalog;
      this.args = args;
      this.context = context;
    }

    boolean anyNull() {
      for (Vector v : args) {
        if (v.isNull(row)) {
          return true;
        }
      }
      return false;
    }

    boolean isNull(int i) {
      return args.get(i).isNull(row);
    }

    int count() {
      return args.size();
    }

    SqlType type(int i) {
      return args.get(i).type();
    }

    String text(int i) {
      return ((BytesColumn) args.get(i)).string(row);
    }

    int integer(int i) {
      Vector v = args.get(i);
      return v instanceof LongVector l ? (int) l.get(row) : ((IntVector) v).get(row);
    }

    long number(int i) {
      Vector v = args.get(i);
      return v instanceof LongVector l ? l.get(row) : ((IntVector) v).get(row);
    }

    boolean bool(int i) {
      return ((BoolVector) args.get(i)).get(row);
    }

    ArrayVector array(int i) {
      return (ArrayVector) args.get(i);
    }

    Vector vector(int i) {
      return args.get(i);
    }

    int row() {
      return row;
    }

    View view() {
      View v = view;
      if (v == null) {
        v = catalog.view(context.catalog(), context.session());
        view = v;
      }
      return v;
    }

    BuiltIns builtIns() {
      return catalog.builtIns();
    }

    /** What names in results depend on. */
    RegTypes.Lookup lookup() {
      return new RegTypes.Lookup(view(), builtIns(), session());
    }

    SystemCatalog catalog() {
      return catalog;
    }

    EvalContext context() {
      return context;
    }

    SessionInfo session() {
      return context.session();
    }

    /** The schemas that names are looked up in: pg_catalog first unless it is named. */
    List<String> path() {
      return RegTypes.path(context.session());
    }
  }
}
