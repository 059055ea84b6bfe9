package io.millrace.sql.system;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.SequenceValues;
import io.millrace.sql.exec.function.EvalContext;
import io.millrace.sql.exec.function.FunctionRegistry;
import io.millrace.sql.session.SequenceMemory;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** nextval, currval, lastval, setval, and what describes sequences. */
final class SequenceFunctions {
  private SequenceFunctions() {}

  static void register(FunctionRegistry.Builder registry, SystemCatalog catalog) {
    registry.scalar(
        "nextval(regclass)", (_, _) -> (args, n, context) -> nextval(catalog, args, n, context));
    var f = new Fn(registry, catalog);
    f.strict("currval(regclass)", c -> current(c, sequence(c.context(), c.integer(0))));
    f.lax(
        "lastval()",
        c -> {
          SequenceMemory memory = memory(c.catalog(), c.context());
          int oid = memory.last();
          if (oid == 0 || c.context().catalog().sequence(oid).isEmpty()) {
            throw new MillraceException(
                ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "lastval is not yet defined in this session");
          }
          return memory.current(oid).orElseThrow();
        });
    f.strict("setval(regclass,int8)", c -> set(c, true));
    f.strict("setval(regclass,int8,bool)", c -> set(c, c.bool(2)));
    f.strict(
        "pg_sequence_last_value(regclass)",
        c -> {
          SequenceValues.State s = values(c).state(sequence(c.context(), c.integer(0)));
          return s.called() ? (Long) s.last() : null;
        });
    f.strict("pg_get_serial_sequence(text,text)", SequenceFunctions::serial);
    f.set(
        "millrace_sequence_state(oid)",
        (c, out) -> {
          SequenceValues.State s = values(c).state(sequence(c.context(), c.integer(0)));
          out.row(s.last(), 0L, s.called());
        });
  }

  static SqlType type(SequenceInfo s) {
    return switch (s.typname()) {
      case "int2" -> SqlType.INT2;
      case "int4" -> SqlType.INT4;
      default -> SqlType.INT8;
    };
  }

  private static SequenceValues values(Fn.Call c) {
    return c.catalog().sources().sequenceValues();
  }

  private static SequenceMemory memory(SystemCatalog catalog, EvalContext context) {
    return catalog.sources().sequenceMemory(context.session().backendPid());
  }

  private static SequenceInfo sequence(EvalContext context, int oid) {
    return context
        .catalog()
        .sequence(oid)
        .orElseThrow(
            () -> {
              String other =
                  context.catalog().databases().stream()
                      .flatMap(d -> context.catalog().tables(d.name()).stream())
                      .filter(t -> t.oid() == oid)
                      .map(t -> t.name())
                      .findFirst()
                      .orElse(null);
              return other == null
                  ? new MillraceException(
                      ErrorCode.UNDEFINED_TABLE,
                      "could not open relation with OID " + Integer.toUnsignedString(oid))
                  : new MillraceException(
                      ErrorCode.WRONG_OBJECT_TYPE, "\"" + other + "\" is not a sequence");
            });
  }

  private static void requireWritable(EvalContext context, String function) {
    if ("on".equals(context.session().settings().get("transaction_read_only"))) {
      throw new MillraceException(
          ErrorCode.READ_ONLY_SQL_TRANSACTION,
          "cannot execute " + function + " in a read-only transaction");
    }
  }

  /** One reservation per run of rows that name the same sequence. */
  private static Vector nextval(
      SystemCatalog catalog, List<Vector> args, int n, EvalContext context) {
    requireWritable(context, "nextval()");
    Vector oids = args.getFirst();
    var out = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, Math.max(1, n));
    SequenceMemory memory = memory(catalog, context);
    int i = 0;
    while (i < n) {
      if (oids.isNull(i)) {
        out.appendNull();
        i++;
        continue;
      }
      int oid = oid(oids, i);
      int end = i + 1;
      while (end < n && !oids.isNull(end) && oid(oids, end) == oid) {
        end++;
      }
      long[] values = new long[end - i];
      catalog.sources().sequenceValues().next(sequence(context, oid), values, values.length);
      for (long v : values) {
        out.append(v);
      }
      memory.got(oid, values[values.length - 1]);
      i = end;
    }
    return out.build();
  }

  private static int oid(Vector v, int i) {
    return v instanceof LongVector l ? (int) l.get(i) : ((IntVector) v).get(i);
  }

  private static long current(Fn.Call c, SequenceInfo s) {
    OptionalLong v = memory(c.catalog(), c.context()).current(s.oid());
    return v.orElseThrow(
        () ->
            new MillraceException(
                ErrorCode.OBJECT_NOT_IN_PREREQUISITE_STATE,
                "currval of sequence \"" + s.name() + "\" is not yet defined in this session"));
  }

  private static long set(Fn.Call c, boolean called) {
    requireWritable(c.context(), "setval()");
    SequenceInfo s = sequence(c.context(), c.integer(0));
    long value = c.number(1);
    if (value < s.min() || value > s.max()) {
      throw new MillraceException(
          ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE,
          "setval: value "
              + value
              + " is out of bounds for sequence \""
              + s.name()
              + "\" ("
              + s.min()
              + ".."
              + s.max()
              + ")");
    }
    values(c).set(s, value, called);
    if (called) {
      memory(c.catalog(), c.context()).set(s.oid(), value);
    }
    return value;
  }

  /** The sequence that a column owns, as qualified text. */
  private static @Nullable String serial(Fn.Call c) {
    Integer oid = RegTypes.regclass(c, c.text(0), true);
    Rel r = oid == null ? null : c.view().rel(oid);
    if (r == null) {
      return null;
    }
    String column = c.text(1);
    var t = r.table();
    var found = t == null ? null : t.column(column).orElse(null);
    if (t == null || found == null) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_COLUMN,
          "column \"" + column + "\" of relation \"" + r.name() + "\" does not exist");
    }
    return c.view().snapshot().sequences(t.database()).stream()
        .filter(
            s ->
                s.owner()
                    .filter(o -> o.table().equals(t.id()) && o.columnId() == found.id())
                    .isPresent())
        .findFirst()
        .map(s -> Sql.quoted(s.schema()) + "." + Sql.quoted(s.name()))
        .orElse(null);
  }
}
