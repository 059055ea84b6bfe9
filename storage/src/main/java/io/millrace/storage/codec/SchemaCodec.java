package io.millrace.storage.codec;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.common.type.TypeKind;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.CompactionOptions;
import io.millrace.storage.FileOptions;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.RegionOptions;
import java.util.ArrayList;
import java.util.List;

/** Schemas and options as bytes. Enum constants are stored by name. */
public final class SchemaCodec {
  private SchemaCodec() {}

  public static void write(ByteWriter w, SqlType t) {
    w.text(t.kind().name()).i4(t.typmod());
    w.u1(t.kind() == TypeKind.RECORD ? 2 : t.isArray() ? 1 : 0);
    if (t.isArray()) {
      write(w, t.elementType());
    } else if (t.kind() == TypeKind.RECORD) {
      w.var(t.fields().size());
      for (SqlType.Field f : t.fields()) {
        w.text(f.name());
        write(w, f.type());
      }
    }
  }

  public static SqlType readType(ByteReader r) {
    TypeKind kind = constant(TypeKind.class, r.text());
    int typmod = r.i4();
    return switch (r.u1()) {
      case 1 -> new SqlType(kind, typmod, readType(r), List.of());
      case 2 -> {
        int n = r.count();
        var fields = new ArrayList<SqlType.Field>(n);
        for (int i = 0; i < n; i++) {
          fields.add(new SqlType.Field(r.text(), readType(r)));
        }
        yield new SqlType(kind, typmod, null, fields);
      }
      default -> new SqlType(kind, typmod, null, List.of());
    };
  }

  public static void write(ByteWriter w, TableSchema s) {
    w.var(s.version()).var(s.columns().size());
    for (ColumnSchema c : s.columns()) {
      w.var(c.id()).text(c.name());
      write(w, c.type());
      w.text(c.semantic().name()).u1(c.nullable() ? 1 : 0);
      String initial = c.initialDefault();
      w.u1(initial == null ? 0 : 1);
      if (initial != null) {
        w.text(initial);
      }
    }
    w.var(s.tagIds().size());
    for (int id : s.tagIds()) {
      w.var(id);
    }
    w.var(s.timeIndexId());
  }

  public static TableSchema readSchema(ByteReader r) {
    int version = (int) r.var();
    int n = r.count();
    var columns = new ArrayList<ColumnSchema>(n);
    for (int i = 0; i < n; i++) {
      int id = (int) r.var();
      String name = r.text();
      SqlType type = readType(r);
      SemanticType semantic = constant(SemanticType.class, r.text());
      boolean nullable = r.u1() == 1;
      columns.add(
          new ColumnSchema(id, name, type, semantic, nullable, r.u1() == 1 ? r.text() : null));
    }
    int tags = r.count();
    var tagIds = new ArrayList<Integer>(tags);
    for (int i = 0; i < tags; i++) {
      tagIds.add((int) r.var());
    }
    return new TableSchema(version, columns, tagIds, (int) r.var());
  }

  public static void write(ByteWriter w, RegionOptions o) {
    w.text(o.keyMode().name()).u1(o.appendMode() ? 1 : 0).text(o.mergeMode().name());
    boolean plain = o.compaction().equals(CompactionOptions.DEFAULT);
    boolean usual = o.index().equals(IndexOptions.DEFAULT);
    boolean own = !o.files().equals(FileOptions.DEFAULT);
    int flags = (o.skipWal() ? 1 : 0) | (plain ? 0 : 2) | (usual ? 0 : 4) | (own ? 8 : 0);
    w.i8(o.ttlMicros()).u1(flags);
    w.i8(o.writeBufferBytes());
    if (!plain) {
      CompactionOptions c = o.compaction();
      w.i8(c.windowMicros()).var(c.triggerFiles()).i8(c.maxOutputBytes());
    }
    if (!usual) {
      write(w, o.index());
    }
    if (own) {
      w.i8(o.files().flushMicros()).var(o.files().groupRows());
    }
  }

  private static void write(ByteWriter w, IndexOptions o) {
    w.u1((o.keyBloom() ? 1 : 0) | (o.trailingTags() ? 2 : 0)).var(o.columns().size());
    for (ColumnIndex c : o.columns()) {
      w.var(c.columnId()).text(c.kind().name()).var(c.granularity());
      w.i8(Double.doubleToLongBits(c.falsePositiveRate())).u1(c.caseSensitive() ? 1 : 0);
    }
  }

  private static IndexOptions readIndexOptions(ByteReader r) {
    int flags = r.u1();
    int n = r.count();
    var columns = new ArrayList<ColumnIndex>(n);
    for (int i = 0; i < n; i++) {
      columns.add(
          new ColumnIndex(
              (int) r.var(),
              constant(IndexKind.class, r.text()),
              (int) r.var(),
              Double.longBitsToDouble(r.i8()),
              r.u1() == 1));
    }
    return new IndexOptions((flags & 1) != 0, (flags & 2) != 0, columns);
  }

  public static RegionOptions readOptions(ByteReader r) {
    var keyMode = constant(RegionOptions.KeyMode.class, r.text());
    boolean append = r.u1() == 1;
    var mergeMode = constant(RegionOptions.MergeMode.class, r.text());
    long ttl = r.i8();
    int flags = r.u1();
    long buffer = r.i8();
    CompactionOptions compaction =
        (flags & 2) == 0
            ? CompactionOptions.DEFAULT
            : new CompactionOptions(r.i8(), (int) r.var(), r.i8());
    IndexOptions index = (flags & 4) == 0 ? IndexOptions.DEFAULT : readIndexOptions(r);
    FileOptions files =
        (flags & 8) == 0 ? FileOptions.DEFAULT : new FileOptions(r.i8(), (int) r.var());
    return new RegionOptions(
        keyMode, append, mergeMode, ttl, (flags & 1) != 0, buffer, compaction, index, files);
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String name) {
    try {
      return Enum.valueOf(type, name);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "unknown " + type.getSimpleName() + " " + name, e);
    }
  }
}
