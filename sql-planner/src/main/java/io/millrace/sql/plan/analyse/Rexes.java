package io.millrace.sql.plan.analyse;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.physical.FunctionId;
import io.millrace.sql.plan.analyse.Typing.Context;
import io.millrace.sql.plan.rel.ConstantPool;
import io.millrace.sql.plan.rel.MillFunction;
import io.millrace.sql.plan.rel.MillOperators;
import io.millrace.sql.plan.rel.MillTypeFactory;
import io.millrace.sql.semantics.CastRow;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;

/** Makes Rex of what the rules of typing decided: constants, casts, calls. One per analysis. */
final class Rexes {
  private static final Pattern MOVING =
      Pattern.compile("now|today|tomorrow|yesterday", Pattern.CASE_INSENSITIVE);

  private final RexBuilder builder;
  private final MillTypeFactory types;
  private final ConstantPool pool;
  private final Typing typing;
  private final Parameters parameters;
  private final SessionFormat format;
  private boolean readsSession;
  private boolean readsClock;

  Rexes(
      RexBuilder builder,
      MillTypeFactory types,
      ConstantPool pool,
      Typing typing,
      Parameters parameters,
      SessionFormat format) {
    this.builder = builder;
    this.types = types;
    this.pool = pool;
    this.typing = typing;
    this.parameters = parameters;
    this.format = format;
  }

  RexBuilder builder() {
    return builder;
  }

  MillTypeFactory types() {
    return types;
  }

  /** Whether a pinned constant was read by the session's zone or DateStyle. */
  boolean readsSession() {
    return readsSession;
  }

  /** Whether a constant such as 'now' was read. */
  boolean readsClock() {
    return readsClock;
  }

  // ---- calls ----

  RexNode call(SqlType type, SqlOperator op, List<RexNode> operands) {
    return builder.makeCall(types.of(type), op, operands);
  }

  RexNode call(SqlType type, SqlOperator op, RexNode... operands) {
    return call(type, op, List.of(operands));
  }

  RexNode function(
      FunctionId id, SqlType type, char volatility, boolean strict, List<RexNode> operands) {
    return call(type, new MillFunction(id, type, volatility, strict, false), operands);
  }

  RexNode bool(SqlOperator op, List<RexNode> operands) {
    boolean nullable = false;
    var flat = new ArrayList<RexNode>(operands.size());
    for (RexNode o : operands) {
      nullable |= o.getType().isNullable();
      boolean same =
          (op == SqlStdOperatorTable.AND || op == SqlStdOperatorTable.OR)
              && o instanceof RexCall c
              && c.getOperator() == op;
      if (same) {
        flat.addAll(((RexCall) o).getOperands());
      } else {
        flat.add(o);
      }
    }
    return builder.makeCall(types.of(SqlType.BOOL, nullable), op, flat);
  }

  RexNode bool(SqlOperator op, RexNode... operands) {
    return bool(op, List.of(operands));
  }

  /** IS NULL and its like, which never give NULL. */
  RexNode test(SqlOperator op, RexNode... operands) {
    return builder.makeCall(types.of(SqlType.BOOL, false), op, List.of(operands));
  }

  RexNode and(List<RexNode> conjuncts) {
    return conjuncts.size() == 1
        ? conjuncts.get(0)
        : conjuncts.isEmpty()
            ? builder.makeLiteral(true)
            : bool(SqlStdOperatorTable.AND, conjuncts);
  }

  RexNode or(List<RexNode> disjuncts) {
    return disjuncts.size() == 1 ? disjuncts.get(0) : bool(SqlStdOperatorTable.OR, disjuncts);
  }

  RexNode not(RexNode arg) {
    return bool(SqlStdOperatorTable.NOT, arg);
  }

  // ---- constants ----

  RexNode nullOf(SqlType type) {
    return builder.makeNullLiteral(types.of(type));
  }

  RexNode literal(boolean value) {
    return builder.makeLiteral(value);
  }

  RexNode int4(int value) {
    return builder.makeExactLiteral(BigDecimal.valueOf(value), types.of(SqlType.INT4, false));
  }

  RexNode int8(long value) {
    return builder.makeExactLiteral(BigDecimal.valueOf(value), types.of(SqlType.INT8, false));
  }

  RexNode text(String value) {
    var b = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, 1);
    b.append(value);
    return pool.constant(SqlType.TEXT, b.build());
  }

  /** The text form read as the type, its modifier applied. */
  Vector read(String text, SqlType type, int position) {
    VectorBuilder b = VectorBuilder.of(type, 1);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      TypeCodecs.of(type).parseText(bytes, 0, bytes.length, b, format);
    } catch (MillraceException e) {
      throw e.position() > 0 || position <= 0 || isOfModifier(e) ? e : e.at(position);
    }
    return b.build();
  }

  /** Modifiers are applied by a function of their own, whose errors have no place in the text. */
  private static boolean isOfModifier(MillraceException e) {
    return e.code() == ErrorCode.STRING_DATA_RIGHT_TRUNCATION
        || e.code() == ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE
            && Objects.requireNonNullElse(e.getMessage(), "").equals("numeric field overflow");
  }

  private RexNode constant(SqlType type, Vector v, boolean free, int offset, boolean negated) {
    if (free && offset >= 0) {
      return pool.slot(offset, negated, type, v);
    }
    switch (type.kind()) {
      case BOOL -> {
        return builder.makeLiteral(((io.millrace.common.batch.BoolVector) v).get(0));
      }
      case INT2, INT4 -> {
        return builder.makeExactLiteral(
            BigDecimal.valueOf(((IntVector) v).get(0)), types.of(type, false));
      }
      case INT8 -> {
        return builder.makeExactLiteral(
            BigDecimal.valueOf(((LongVector) v).get(0)), types.of(type, false));
      }
      default -> {
        char c = Typing.category(type);
        readsSession |= c == 'D' || c == 'T' || type.isArray() || c == 'P';
        return pool.constant(type, v);
      }
    }
  }

  private RexNode unknown(Ex.Unknown u, SqlType target, Context context) {
    String text = u.text();
    if (text == null) {
      return nullOf(target);
    }
    if (target.kind().isOid() && target.kind() != TypeKind.OID && target.kind() != TypeKind.XID) {
      CastRow row = Objects.requireNonNull(typing.path(SqlType.TEXT, target, Context.EXPLICIT));
      return function(row.function(), target, 's', true, List.of(text(text)));
    }
    if (Typing.category(target) == 'D' && MOVING.matcher(text).find()) {
      RexNode moving = moving(text.strip().toLowerCase(Locale.ROOT), target);
      if (moving != null) {
        return moving;
      }
      readsClock = true;
    }
    String use = text;
    if (context == Context.EXPLICIT
        && (target.kind() == TypeKind.VARCHAR || target.kind() == TypeKind.BPCHAR)
        && target.typmod() >= 4) {
      int limit = target.typmod() - 4;
      if (text.codePointCount(0, text.length()) > limit) {
        use = text.substring(0, text.offsetByCodePoints(0, limit));
      }
    }
    boolean free = u.free() && use.equals(text);
    return constant(target, read(use, target, u.position()), free, u.position() - 1, false);
  }

  /** 'now', 'today' and their like as calls, so that plans that hold them can be kept. */
  private @org.jspecify.annotations.Nullable RexNode moving(String word, SqlType target) {
    var now =
        new Ex.Value(
            function(new FunctionId("now()"), SqlType.TIMESTAMPTZ, 's', true, List.of()),
            SqlType.TIMESTAMPTZ,
            0);
    int days;
    switch (word) {
      case "now" -> {
        Ex.Value v = cast(now, target, Context.EXPLICIT);
        return v == null ? null : v.rex();
      }
      case "today" -> days = 0;
      case "tomorrow" -> days = 1;
      case "yesterday" -> days = -1;
      default -> {
        return null;
      }
    }
    Ex.Value today = Objects.requireNonNull(cast(now, SqlType.DATE, Context.EXPLICIT));
    RexNode day =
        function(
            new FunctionId("date_pli(date,int4)"),
            SqlType.DATE,
            'i',
            true,
            List.of(today.rex(), int4(days)));
    Ex.Value v = cast(new Ex.Value(day, SqlType.DATE, 0), target, Context.EXPLICIT);
    return v == null ? null : v.rex();
  }

  private RexNode number(Ex.Num n, SqlType target) {
    BigDecimal v = n.value();
    boolean negated = v.signum() < 0;
    return constant(
        target, read(v.toPlainString(), target, 0), n.free(), n.position() - 1, negated);
  }

  /** An integer in a timestamp column's own unit. */
  private RexNode instant(Ex.Num n, SqlType target) {
    BigDecimal micros =
        switch (target.kind() == TypeKind.TIMESTAMP_NS ? 9 : target.typmod()) {
          case 0 -> n.value().movePointRight(6);
          case 1, 2, 3 -> n.value().movePointRight(3);
          default -> n.value();
        };
    try {
      var b = (VectorBuilder.Longs) VectorBuilder.of(target, 1);
      b.append(micros.longValueExact());
      return constant(target, b.build(), n.free(), n.position() - 1, n.value().signum() < 0);
    } catch (ArithmeticException e) {
      throw Problems.error(
          ErrorCode.DATETIME_FIELD_OVERFLOW, n.position(), "timestamp out of range: " + n.value());
    }
  }

  /** Whether the rule for integers in time columns applies. */
  static boolean isInstant(Ex e, SqlType target) {
    return e instanceof Ex.Num n
        && n.type().kind() != TypeKind.NUMERIC
        && target.kind().isTimestamp();
  }

  /** A value, whatever type it has; what is still open becomes text, numbers their own type. */
  Ex.Value value(Ex e) {
    return switch (e) {
      case Ex.Value v -> v;
      case Ex.Unknown u -> coerce(u, SqlType.TEXT, Context.IMPLICIT, u.position());
      case Ex.Param p -> coerce(p, SqlType.TEXT, Context.IMPLICIT, p.position());
      case Ex.Num n -> new Ex.Value(number(n, n.type()), n.type(), n.position());
      case Ex.Row r -> row(r);
    };
  }

  RexNode rex(Ex e) {
    return value(e).rex();
  }

  private Ex.Value row(Ex.Row r) {
    var fields = new ArrayList<RexNode>();
    for (Ex f : r.fields()) {
      fields.add(rex(f));
    }
    SqlType type = r.type();
    return new Ex.Value(call(type, MillOperators.ROW_OF, fields), type, r.position());
  }

  // ---- coercion ----

  /** Coerces, which the caller knows to be possible, else 42846. */
  Ex.Value coerce(Ex e, SqlType target, Context context, int position) {
    Ex.Value v = tryCoerce(e, target, context);
    if (v == null) {
      throw Problems.error(
          ErrorCode.CANNOT_COERCE,
          position,
          "cannot cast type " + Problems.name(e.type()) + " to " + Problems.name(target));
    }
    return v;
  }

  /** Coerces; null if there is no way in this context. */
  Ex.@org.jspecify.annotations.Nullable Value tryCoerce(Ex e, SqlType target, Context context) {
    if (target.kind() == TypeKind.ANY) {
      return value(e);
    }
    switch (e) {
      case Ex.Unknown u -> {
        return new Ex.Value(unknown(u, target, context), target, u.position());
      }
      case Ex.Param p -> {
        SqlType t = parameters.decide(p.number(), target, p.position());
        var v = new Ex.Value(pool.parameter(p.number(), t), t, p.position());
        return cast(v, target, context);
      }
      case Ex.Num n -> {
        if (isInstant(n, target)) {
          return new Ex.Value(instant(n, target), target, n.position());
        }
        if (folds(n, target)) {
          return new Ex.Value(number(n, target), target, n.position());
        }
        return cast(value(new Ex.Num(n.type(), n.value(), false, n.position())), target, context);
      }
      case Ex.Row r -> {
        if (target.kind() == TypeKind.RECORD) {
          return row(r);
        }
        return cast(row(r), target, context);
      }
      case Ex.Value v -> {
        return cast(v, target, context);
      }
    }
  }

  /**
   * What a time column takes besides PostgreSQL's assignments, of values as of literals: integers
   * in its unit, and text. Null for other types.
   */
  Ex.@org.jspecify.annotations.Nullable Value tryInstant(Ex e, SqlType target) {
    Ex.Value v = value(e);
    switch (v.type().kind()) {
      case TEXT, VARCHAR, BPCHAR -> {
        return cast(v, target, Context.EXPLICIT);
      }
      case INT2, INT4, INT8 -> {
        Ex.Value n = coerce(v, SqlType.INT8, Context.ASSIGNMENT, v.position());
        return new Ex.Value(
            function(instantOf(target), target, 'i', true, List.of(n.rex())), target, v.position());
      }
      default -> {
        return null;
      }
    }
  }

  /** The function that takes an integer for an instant, in the unit of the type's precision. */
  private static FunctionId instantOf(SqlType type) {
    int digits =
        switch (type.kind() == TypeKind.TIMESTAMP_NS ? 9 : type.typmod()) {
          case 9 -> 9;
          case 0 -> 0;
          case 1, 2, 3 -> 3;
          default -> 6;
        };
    return new FunctionId("instant" + digits + "(int8):" + type.typname());
  }

  private static boolean folds(Ex.Num n, SqlType target) {
    BigDecimal v = n.value();
    boolean integer = n.type().kind() != TypeKind.NUMERIC;
    return switch (target.kind()) {
      case INT2 -> integer && fits(v, Short.MIN_VALUE, Short.MAX_VALUE) && !n.free();
      case INT4 -> integer && fits(v, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT8 -> integer;
      case NUMERIC, FLOAT4, FLOAT8 -> true;
      case OID -> integer && fits(v, 0, 4_294_967_295L);
      default -> false;
    };
  }

  private static boolean fits(BigDecimal v, long low, long high) {
    return v.setScale(0, RoundingMode.HALF_UP).compareTo(BigDecimal.valueOf(low)) >= 0
        && v.compareTo(BigDecimal.valueOf(high)) <= 0;
  }

  private Ex.@org.jspecify.annotations.Nullable Value cast(
      Ex.Value v, SqlType target, Context context) {
    SqlType from = v.type();
    if (from.sameKind(target) && (target.typmod() < 0 || target.typmod() == from.typmod())) {
      return v;
    }
    if (from.isArray() && target.isArray() && Typing.same(from, target)) {
      return v;
    }
    if (from.kind() == TypeKind.RECORD && target.kind() == TypeKind.RECORD) {
      return new Ex.Value(v.rex(), from, v.position());
    }
    CastRow row = typing.path(from, target, context);
    if (row == null) {
      return null;
    }
    FunctionId id = context == Context.EXPLICIT ? row.function() : row.assignment();
    return new Ex.Value(
        function(id, target, row.volatility(), true, List.of(v.rex())), target, v.position());
  }

  /** A cast that gives NULL where it fails for the value. */
  Ex.Value tryCast(Ex e, SqlType target, int position) {
    Ex.Value v = value(e);
    CastRow row = typing.path(v.type(), target, Context.EXPLICIT);
    boolean same = v.type().sameKind(target) && target.typmod() < 0;
    if (same || row == null || row.method() == CastRow.Method.BINARY) {
      return coerce(v, target, Context.EXPLICIT, position);
    }
    var id = new FunctionId("try" + row.function().signature());
    return new Ex.Value(
        function(id, target, row.volatility(), true, List.of(v.rex())), target, position);
  }

  /** Text kinds whose values compare by their bytes without conversion. */
  static boolean isBytes(SqlType t) {
    return switch (t.kind()) {
      case TEXT, VARCHAR, NAME -> true;
      default -> false;
    };
  }

  RelDataType relType(SqlType t) {
    return types.of(t);
  }
}
