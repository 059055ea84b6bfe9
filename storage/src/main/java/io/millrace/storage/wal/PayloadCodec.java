package io.millrace.storage.wal;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.OpType;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Truncation;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.codec.SchemaCodec;
import io.millrace.storage.codec.VectorCodec;
import io.millrace.storage.sst.RangeCodec;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstMetaCodec;
import java.util.ArrayList;
import java.util.List;

/**
 * What a log part carries: a columnar batch by column id, or a schema. Versioned by its first byte.
 */
public final class PayloadCodec {
  private static final int VERSION = 1;

  private PayloadCodec() {}

  /** Rows as bytes; nothing in them depends on where they will lie in the log. */
  public static ByteWriter encode(RegionWrite write) {
    long estimate = 64 + 16L * write.rows().width() + write.rows().byteSize();
    var w = new ByteWriter((int) Math.min(estimate, Integer.MAX_VALUE - 16L));
    w.u1(VERSION).u1(write.op().code()).var(write.columnIds().size());
    for (int id : write.columnIds()) {
      w.var(id);
    }
    VectorCodec.write(w, write.rows());
    return w;
  }

  /** The write of a WRITE part, with the row ids it got at admission. */
  public static RegionWrite decode(LogPart part, TableSchema schema) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    OpType op = OpType.of((byte) r.u1());
    int n = r.count();
    var ids = new ArrayList<Integer>(n);
    for (int i = 0; i < n; i++) {
      ids.add((int) r.var());
    }
    Batch rows = VectorCodec.readBatch(r);
    var write = new RegionWrite(part.region(), part.schemaVersion(), op, ids, rows);
    return part.firstRowId() == LogPart.NO_ROW_ID
        ? write
        : withRowIds(write, schema, part.firstRowId());
  }

  /** The write with a time index of consecutive numbers. */
  public static RegionWrite withRowIds(RegionWrite write, TableSchema schema, long first) {
    int n = write.rows().rows();
    long[] values = new long[n];
    for (int i = 0; i < n; i++) {
      values[i] = first + i;
    }
    SqlType type = schema.timeIndex().type();
    var columns = new ArrayList<Vector>(write.rows().columns());
    columns.add(new LongVector(type, values, n, null));
    var ids = new ArrayList<>(write.columnIds());
    ids.add(schema.timeIndexId());
    return new RegionWrite(
        write.region(), write.schemaVersion(), write.op(), ids, new Batch(columns, n));
  }

  public static ByteWriter encodeAlter(TableSchema schema, RegionOptions options) {
    var w = new ByteWriter(256);
    w.u1(VERSION);
    SchemaCodec.write(w, schema);
    SchemaCodec.write(w, options);
    return w;
  }

  /** Version, form u1 (none: everything), for files the ranges. */
  public static ByteWriter encodeTruncate(Truncation what) {
    var w = new ByteWriter(16).u1(VERSION);
    switch (what) {
      case Truncation.All _ -> {}
      case Truncation.Unflushed _ -> w.u1(2);
      case Truncation.Files f -> {
        w.u1(3).var(f.ranges().size());
        for (Truncation.TimeRange r : f.ranges()) {
          w.i8(r.min()).i8(r.max());
        }
      }
    }
    return w;
  }

  /** What a TRUNCATE part takes away. */
  public static Truncation decodeTruncate(LogPart part) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    int form = part.payloadSize() == 1 ? 1 : r.u1();
    return switch (form) {
      case 1 -> new Truncation.All();
      case 2 -> new Truncation.Unflushed();
      case 3 -> {
        int n = r.count();
        var ranges = new ArrayList<Truncation.TimeRange>(n);
        for (int i = 0; i < n; i++) {
          ranges.add(new Truncation.TimeRange(r.i8(), r.i8()));
        }
        yield new Truncation.Files(ranges);
      }
      default -> throw new MillraceException(ErrorCode.DATA_CORRUPTED, "truncation " + form);
    };
  }

  public static ByteWriter encodeStaged(List<SstMeta> files) {
    var w = new ByteWriter(128).u1(VERSION);
    SstMetaCodec.write(w, files);
    return w;
  }

  /** The files of a STAGED part, each with the sequence that its rows got. */
  public static List<SstMeta> decodeStaged(LogPart part) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    var out = new ArrayList<SstMeta>();
    for (SstMeta f : SstMetaCodec.read(r)) {
      out.add(f.withUniform(part.firstSequence() + out.size()));
    }
    return out;
  }

  /**
   * What an EDIT part does.
   *
   * @param added files whose rows get the sequences of the part, one each
   * @param removed file ids
   * @param event whether rows in [minTime, maxTime] may have changed by what was removed
   */
  public record Edited(
      List<SstMeta> added, List<String> removed, boolean event, long minTime, long maxTime) {
    public Edited {
      added = List.copyOf(added);
      removed = List.copyOf(removed);
    }
  }

  /** Version, the files, the removed ids, whether there is a range u1 and the range. */
  public static ByteWriter encodeEdit(Edited edit) {
    var w = new ByteWriter(128).u1(VERSION);
    SstMetaCodec.write(w, edit.added);
    w.var(edit.removed.size());
    edit.removed.forEach(w::text);
    return w.u1(edit.event ? 1 : 0).i8(edit.minTime).i8(edit.maxTime);
  }

  /** What an EDIT part does, each file with the sequence that its rows got. */
  public static Edited decodeEdit(LogPart part) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    var added = new ArrayList<SstMeta>();
    for (SstMeta f : SstMetaCodec.read(r)) {
      long sequence = part.firstSequence() + added.size();
      added.add(f.withUniform(sequence).withVisibleSince(sequence));
    }
    int n = r.count();
    var removed = new ArrayList<String>(n);
    for (int i = 0; i < n; i++) {
      removed.add(r.text());
    }
    return new Edited(added, removed, r.u1() == 1, r.i8(), r.i8());
  }

  /**
   * Range deletes of a region in a commit.
   *
   * @param before sequences that the commit takes in the region before them
   */
  public static ByteWriter encodeRanges(List<RangeDelete> ranges, long before) {
    var w = new ByteWriter(64).u1(VERSION).var(before).var(ranges.size());
    for (RangeDelete d : ranges) {
      RangeCodec.write(w, d);
    }
    return w;
  }

  /** The range deletes of a RANGE part in their places. */
  public static List<Rectangle> decodeRanges(LogPart part) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    long ownFrom = part.firstSequence() - r.var();
    int n = r.count();
    var out = new ArrayList<Rectangle>(n);
    for (int i = 0; i < n; i++) {
      out.add(new Rectangle(RangeCodec.read(r), part.firstSequence() + i, ownFrom));
    }
    return out;
  }

  public static ByteWriter encodeExpire(long below) {
    return new ByteWriter(9).u1(VERSION).i8(below);
  }

  /** The bound of an EXPIRE part. */
  public static long decodeExpire(LogPart part) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    return r.i8();
  }

  /** What an ALTER part changes to. */
  public record Altered(RegionId region, TableSchema schema, RegionOptions options) {}

  public static Altered decodeAlter(LogPart part) {
    var r = new ByteReader(part.payload(), 0, part.payloadSize());
    version(r);
    return new Altered(part.region(), SchemaCodec.readSchema(r), SchemaCodec.readOptions(r));
  }

  private static void version(ByteReader r) {
    int v = r.u1();
    if (v != VERSION) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "log payload of version " + v + " cannot be read");
    }
  }
}
