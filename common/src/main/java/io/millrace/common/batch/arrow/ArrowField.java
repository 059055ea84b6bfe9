package io.millrace.common.batch.arrow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.jspecify.annotations.Nullable;

/**
 * A field of an Arrow schema.
 *
 * @param form how its values lie in buffers
 * @param parameter bytes of a value, a time unit, a decimal's scale, or a list's size
 * @param type ours that holds every value, or nearly: unsigned numbers may be too large
 * @param index of a dictionary-encoded field: the form of its codes; null otherwise
 */
record ArrowField(
    String name,
    Form form,
    int parameter,
    SqlType type,
    List<ArrowField> children,
    @Nullable Form index,
    long dictionary) {

  /** How values lie in buffers. */
  enum Form {
    NULL,
    BOOL,
    INT8,
    UINT8,
    INT16,
    UINT16,
    INT32,
    UINT32,
    INT64,
    UINT64,
    HALF,
    FLOAT,
    DOUBLE,
    BYTES,
    LARGE_BYTES,
    FIXED_BYTES,
    DATE_DAYS,
    DATE_MILLIS,
    TIME32,
    TIME64,
    TIMESTAMP,
    DURATION,
    INTERVAL_MONTHS,
    INTERVAL_DAY_TIME,
    INTERVAL_MONTH_DAY_NANO,
    DECIMAL,
    LIST,
    LARGE_LIST,
    FIXED_LIST
  }

  /** Reads a field of a schema message. */
  static ArrowField of(Field f) {
    var children = new ArrayList<ArrowField>();
    for (int i = 0; i < f.childrenLength(); i++) {
      children.add(of(f.children(i)));
    }
    ArrowField plain = plain(f, children);
    DictionaryEncoding d = f.dictionary();
    if (d == null) {
      return plain;
    }
    Form index = d.indexType() == null ? Form.INT32 : integer(d.indexType());
    return new ArrowField(
        plain.name, plain.form, plain.parameter, plain.type, children, index, d.id());
  }

  /** The field of the values that a dictionary has. */
  ArrowField values() {
    return new ArrowField(name, form, parameter, type, children, null, 0);
  }

  private static ArrowField plain(Field f, List<ArrowField> children) {
    String name = f.name() == null ? "" : f.name();
    return switch (f.typeType()) {
      case Type.Null -> field(name, Form.NULL, 0, SqlType.TEXT);
      case Type.Bool -> field(name, Form.BOOL, 0, SqlType.BOOL);
      case Type.Int -> {
        Form form = integer((Int) f.type(new Int()));
        yield field(name, form, 0, type(form));
      }
      case Type.FloatingPoint -> floating(name, (FloatingPoint) f.type(new FloatingPoint()));
      case Type.Utf8 -> field(name, Form.BYTES, 0, SqlType.TEXT);
      case Type.LargeUtf8 -> field(name, Form.LARGE_BYTES, 0, SqlType.TEXT);
      case Type.Binary -> field(name, Form.BYTES, 0, SqlType.BYTEA);
      case Type.LargeBinary -> field(name, Form.LARGE_BYTES, 0, SqlType.BYTEA);
      case Type.FixedSizeBinary -> {
        int width = ((FixedSizeBinary) f.type(new FixedSizeBinary())).byteWidth();
        SqlType type = width == 16 ? SqlType.UUID : SqlType.BYTEA;
        yield field(name, Form.FIXED_BYTES, width, type);
      }
      case Type.Date -> {
        boolean days = ((Date) f.type(new Date())).unit() == DateUnit.DAY;
        yield field(name, days ? Form.DATE_DAYS : Form.DATE_MILLIS, 0, SqlType.DATE);
      }
      case Type.Time -> {
        Time t = (Time) f.type(new Time());
        yield field(name, t.bitWidth() == 32 ? Form.TIME32 : Form.TIME64, t.unit(), SqlType.TIME);
      }
      case Type.Timestamp -> timestamp(name, (Timestamp) f.type(new Timestamp()));
      case Type.Duration ->
          field(name, Form.DURATION, ((Duration) f.type(new Duration())).unit(), SqlType.INTERVAL);
      case Type.Interval -> interval(name, (Interval) f.type(new Interval()));
      case Type.Decimal -> {
        Decimal d = (Decimal) f.type(new Decimal());
        SqlType numeric = SqlType.NUMERIC;
        yield new ArrowField(
            name,
            Form.DECIMAL,
            d.bitWidth() << 16 | d.scale() & 0xffff,
            numeric,
            children,
            null,
            0);
      }
      case Type.List -> list(name, Form.LIST, 0, children);
      case Type.LargeList -> list(name, Form.LARGE_LIST, 0, children);
      case Type.FixedSizeList ->
          list(
              name,
              Form.FIXED_LIST,
              ((FixedSizeList) f.type(new FixedSizeList())).listSize(),
              children);
      default -> throw unsupported(name, Type.name(f.typeType()));
    };
  }

  private static ArrowField field(String name, Form form, int parameter, SqlType type) {
    return new ArrowField(name, form, parameter, type, List.of(), null, 0);
  }

  private static ArrowField list(String name, Form form, int size, List<ArrowField> children) {
    SqlType type = SqlType.arrayOf(children.getFirst().type);
    return new ArrowField(name, form, size, type, children, null, 0);
  }

  private static Form integer(Int type) {
    return switch (type.bitWidth()) {
      case 8 -> type.isSigned() ? Form.INT8 : Form.UINT8;
      case 16 -> type.isSigned() ? Form.INT16 : Form.UINT16;
      case 32 -> type.isSigned() ? Form.INT32 : Form.UINT32;
      default -> type.isSigned() ? Form.INT64 : Form.UINT64;
    };
  }

  private static SqlType type(Form integer) {
    return switch (integer) {
      case INT8, UINT8, INT16 -> SqlType.INT2;
      case UINT16, INT32 -> SqlType.INT4;
      default -> SqlType.INT8;
    };
  }

  private static ArrowField floating(String name, FloatingPoint type) {
    return switch (type.precision()) {
      case Precision.HALF -> field(name, Form.HALF, 0, SqlType.FLOAT4);
      case Precision.SINGLE -> field(name, Form.FLOAT, 0, SqlType.FLOAT4);
      default -> field(name, Form.DOUBLE, 0, SqlType.FLOAT8);
    };
  }

  private static ArrowField timestamp(String name, Timestamp t) {
    boolean zoned = t.timezone() != null && !t.timezone().isEmpty();
    SqlType type =
        zoned
            ? SqlType.TIMESTAMPTZ
            : t.unit() == TimeUnit.NANOSECOND ? SqlType.TIMESTAMP_NS : SqlType.TIMESTAMP;
    return field(name, Form.TIMESTAMP, t.unit(), type);
  }

  private static ArrowField interval(String name, Interval i) {
    Form form =
        switch (i.unit()) {
          case 0 -> Form.INTERVAL_MONTHS;
          case 1 -> Form.INTERVAL_DAY_TIME;
          default -> Form.INTERVAL_MONTH_DAY_NANO;
        };
    return field(name, form, 0, SqlType.INTERVAL);
  }

  private static MillraceException unsupported(String name, String type) {
    return new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED,
        "Arrow type " + type + " of field \"" + name + "\" is not supported");
  }

  /** Microseconds, or nanoseconds for their type, of a value in the field's unit. */
  long time(long value) {
    boolean nanos = type.kind() == TypeKind.TIMESTAMP_NS;
    return switch (parameter) {
      case TimeUnit.SECOND -> Math.multiplyExact(value, 1_000_000L);
      case TimeUnit.MILLISECOND -> Math.multiplyExact(value, 1000L);
      case TimeUnit.MICROSECOND -> value;
      default -> nanos ? value : Math.floorDiv(value, 1000L);
    };
  }
}
