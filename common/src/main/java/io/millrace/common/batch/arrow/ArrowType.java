package io.millrace.common.batch.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.List;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * The Arrow type in which values of a type of ours are written: the nearest one that holds them
 * all. What has none goes as text: numerics without a fixed scale, times with a zone, records.
 *
 * @param scale of decimals
 * @param width bytes of decimals
 * @param element of lists; null otherwise
 */
record ArrowType(SqlType type, Form form, int scale, int width, @Nullable ArrowType element) {
  private static final int DECIMAL128_DIGITS = 38;
  private static final int DECIMAL256_DIGITS = 76;

  /** How values lie in buffers. */
  enum Form {
    BOOL,
    INT16,
    INT32,
    UINT32,
    INT64,
    FLOAT,
    DOUBLE,
    TEXT,
    BYTES,
    UUID,
    DATE,
    TIME,
    TIMESTAMP,
    INTERVAL,
    DECIMAL,
    LIST
  }

  static ArrowType of(SqlType t) {
    return switch (t.kind()) {
      case BOOL -> plain(t, Form.BOOL);
      case INT2 -> plain(t, Form.INT16);
      case INT4 -> plain(t, Form.INT32);
      case OID, XID -> plain(t, Form.UINT32);
      case INT8 -> plain(t, Form.INT64);
      case FLOAT4 -> plain(t, Form.FLOAT);
      case FLOAT8 -> plain(t, Form.DOUBLE);
      case BYTEA -> plain(t, Form.BYTES);
      case UUID -> plain(t, Form.UUID);
      case DATE -> plain(t, Form.DATE);
      case TIME -> plain(t, Form.TIME);
      case TIMESTAMP, TIMESTAMP_NS, TIMESTAMPTZ -> plain(t, Form.TIMESTAMP);
      case INTERVAL -> plain(t, Form.INTERVAL);
      case NUMERIC -> numeric(t);
      case ARRAY -> new ArrowType(t, Form.LIST, 0, 0, of(t.elementType()));
      default -> plain(t, Form.TEXT);
    };
  }

  private static ArrowType plain(SqlType t, Form form) {
    return new ArrowType(t, form, 0, 0, null);
  }

  private static ArrowType numeric(SqlType t) {
    int precision = precision(t);
    if (t.typmod() < 0 || precision > DECIMAL256_DIGITS) {
      return plain(t, Form.TEXT);
    }
    int scale = (t.typmod() - 4 & 0x7ff ^ 1024) - 1024;
    return new ArrowType(t, Form.DECIMAL, scale, precision > DECIMAL128_DIGITS ? 32 : 16, null);
  }

  private static int precision(SqlType t) {
    return t.typmod() - 4 >>> 16;
  }

  /** Adds the field to a schema message. */
  int field(FlatBufferBuilder b, String name) {
    int[] children = element == null ? new int[0] : new int[] {element.field(b, "item")};
    int childrenAt = Field.createChildrenVector(b, children);
    int nameAt = b.createString(name);
    int typeAt = type(b);
    Field.startField(b);
    Field.addName(b, nameAt);
    Field.addNullable(b, true);
    Field.addTypeType(b, kind());
    Field.addType(b, typeAt);
    Field.addChildren(b, childrenAt);
    return Field.endField(b);
  }

  private byte kind() {
    return switch (form) {
      case BOOL -> Type.Bool;
      case INT16, INT32, UINT32, INT64 -> Type.Int;
      case FLOAT, DOUBLE -> Type.FloatingPoint;
      case TEXT -> Type.Utf8;
      case BYTES -> Type.Binary;
      case UUID -> Type.FixedSizeBinary;
      case DATE -> Type.Date;
      case TIME -> Type.Time;
      case TIMESTAMP -> Type.Timestamp;
      case INTERVAL -> Type.Interval;
      case DECIMAL -> Type.Decimal;
      case LIST -> Type.List;
    };
  }

  private int type(FlatBufferBuilder b) {
    return switch (form) {
      case BOOL -> {
        Bool.startBool(b);
        yield Bool.endBool(b);
      }
      case INT16 -> Int.createInt(b, 16, true);
      case INT32 -> Int.createInt(b, 32, true);
      case UINT32 -> Int.createInt(b, 32, false);
      case INT64 -> Int.createInt(b, 64, true);
      case FLOAT -> FloatingPoint.createFloatingPoint(b, Precision.SINGLE);
      case DOUBLE -> FloatingPoint.createFloatingPoint(b, Precision.DOUBLE);
      case TEXT -> {
        Utf8.startUtf8(b);
        yield Utf8.endUtf8(b);
      }
      case BYTES -> {
        Binary.startBinary(b);
        yield Binary.endBinary(b);
      }
      case UUID -> FixedSizeBinary.createFixedSizeBinary(b, 16);
      case DATE -> Date.createDate(b, DateUnit.DAY);
      case TIME -> Time.createTime(b, TimeUnit.MICROSECOND, 64);
      case TIMESTAMP -> timestamp(b);
      case INTERVAL -> Interval.createInterval(b, IntervalUnit.MONTH_DAY_NANO);
      case DECIMAL -> Decimal.createDecimal(b, precision(type), scale, width * 8);
      case LIST -> {
        List.startList(b);
        yield List.endList(b);
      }
    };
  }

  private int timestamp(FlatBufferBuilder b) {
    boolean zoned = type.kind() == TypeKind.TIMESTAMPTZ;
    boolean nanos = type.kind() == TypeKind.TIMESTAMP_NS;
    int zone = zoned ? b.createString("UTC") : 0;
    Timestamp.startTimestamp(b);
    Timestamp.addUnit(b, nanos ? TimeUnit.NANOSECOND : TimeUnit.MICROSECOND);
    if (zoned) {
      Timestamp.addTimezone(b, zone);
    }
    return Timestamp.endTimestamp(b);
  }
}
