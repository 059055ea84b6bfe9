package io.millrace.storage.manifest;

import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.RegionEvent;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.codec.SchemaCodec;
import io.millrace.storage.sst.RangeCodec;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstMetaCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A manifest file, version 3, little-endian: magic "MRMANIF1", version i4, least reader i4, kind u1
 * (0 actions, 1 checkpoint), number i8, region i8, contents, CRC32C of everything before i4.
 *
 * <p>Version 2 added a file's run (flag 8) and uniform sequence (flag 16), the actions 9 to 11, and
 * at the end of a checkpoint the expiry bound, the settled position and the compaction window.
 * Version 3 added a file's index file (flag 32), the index options of a region (flag 4), action 12
 * in three forms, and behind the compaction window the range deletes.
 */
final class ManifestCodec {
  static final int VERSION = 3;
  private static final long MAGIC = 0x3146494e414d524dL;
  private static final int ACTIONS = 0;
  private static final int CHECKPOINT = 1;

  private ManifestCodec() {}

  static byte[] actions(RegionId region, long number, List<ManifestAction> actions) {
    ByteWriter w = start(ACTIONS, region, number);
    w.var(actions.size());
    for (ManifestAction a : actions) {
      write(w, a);
    }
    return end(w);
  }

  static List<ManifestAction> parseActions(byte[] data, RegionId region, String key) {
    ByteReader r = open(data, ACTIONS, region, key);
    int n = r.count();
    var out = new ArrayList<ManifestAction>(n);
    for (int i = 0; i < n; i++) {
      out.add(readAction(r));
    }
    return out;
  }

  static byte[] checkpoint(ManifestState s, long number) {
    ByteWriter w = start(CHECKPOINT, s.region(), number);
    SchemaCodec.write(w, s.schema());
    SchemaCodec.write(w, s.options());
    SstMetaCodec.write(w, s.files());
    w.i8(s.flushedSequence()).i8(s.flushedPosition()).i8(s.incarnation()).i8(s.takenSequence());
    w.i8(s.feedStartKeys()).i8(s.feedStartRows());
    w.var(s.events().size());
    for (RegionEvent e : s.events()) {
      write(w, e);
    }
    w.u1(s.removed() ? 1 : 0);
    w.i8(s.expiredBelow()).i8(s.settledPosition()).i8(s.window());
    RangeCodec.write(w, s.ranges());
    return end(w);
  }

  static ManifestState parseCheckpoint(byte[] data, RegionId region, String key) {
    ByteReader r = open(data, CHECKPOINT, region, key);
    TableSchema schema = SchemaCodec.readSchema(r);
    RegionOptions options = SchemaCodec.readOptions(r);
    List<SstMeta> files = SstMetaCodec.read(r);
    long flushedSequence = r.i8();
    long flushedPosition = r.i8();
    long incarnation = r.i8();
    long taken = r.i8();
    long keys = r.i8();
    long rows = r.i8();
    int n = r.count();
    var events = new ArrayList<RegionEvent>(n);
    for (int i = 0; i < n; i++) {
      events.add(readEvent(r));
    }
    return new ManifestState(
        region,
        schema,
        options,
        files,
        flushedSequence,
        flushedPosition,
        incarnation,
        taken,
        keys,
        rows,
        events,
        r.u1() == 1,
        version(data) < 2 ? Long.MIN_VALUE : r.i8(),
        version(data) < 2 ? 0 : r.i8(),
        version(data) < 2 ? 0 : r.i8(),
        version(data) < 3 ? List.of() : RangeCodec.readMarks(r));
  }

  private static int version(byte[] data) {
    return Words.getInt(data, 8);
  }

  private static ByteWriter start(int kind, RegionId region, long number) {
    return new ByteWriter(256)
        .i8(MAGIC)
        .i4(VERSION)
        .i4(VERSION)
        .u1(kind)
        .i8(number)
        .i8(region.value());
  }

  private static byte[] end(ByteWriter w) {
    w.i4(crc(w.array(), w.size()));
    return w.toBytes();
  }

  private static int crc(byte[] b, int count) {
    var crc = new CRC32C();
    crc.update(b, 0, count);
    return (int) crc.getValue();
  }

  private static ByteReader open(byte[] data, int kind, RegionId region, String key) {
    if (data.length < 37
        || Words.getLong(data, 0) != MAGIC
        || Words.getInt(data, data.length - 4) != crc(data, data.length - 4)) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "manifest file \"" + key + "\" is damaged");
    }
    if (Words.getInt(data, 12) > VERSION) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED,
          "manifest file \"" + key + "\" was written by a newer server and cannot be read");
    }
    var r = new ByteReader(data, 16, data.length - 20);
    if (r.u1() != kind || r.i8() < 0 || r.i8() != region.value()) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "manifest file \"" + key + "\" is in the wrong place");
    }
    return r;
  }

  private static void write(ByteWriter w, ManifestAction action) {
    switch (action) {
      case ManifestAction.Create c -> {
        w.u1(1);
        SchemaCodec.write(w, c.schema());
        SchemaCodec.write(w, c.options());
        w.i8(c.position());
      }
      case ManifestAction.Change c -> {
        w.u1(2);
        SchemaCodec.write(w, c.schema());
        SchemaCodec.write(w, c.options());
      }
      case ManifestAction.Edit e -> {
        w.u1(3);
        SstMetaCodec.write(w, e.added());
        w.var(e.removed().size());
        e.removed().forEach(w::text);
        w.i8(e.flushedSequence()).i8(e.flushedPosition());
        w.i8(e.feedStartKeys()).i8(e.feedStartRows());
      }
      case ManifestAction.Truncate t -> w.u1(4).i8(t.sequence());
      case ManifestAction.Event e -> {
        w.u1(5);
        write(w, e.event());
      }
      case ManifestAction.ForgetEvents f -> w.u1(6).i8(f.sequence());
      case ManifestAction.Incarnation i -> w.u1(7).i8(i.number()).i8(i.sequence());
      case ManifestAction.Remove _ -> w.u1(8);
      case ManifestAction.Expire e -> w.u1(9).i8(e.below());
      case ManifestAction.Window x -> w.u1(10).i8(x.ticks());
      case ManifestAction.Settled p -> w.u1(11).i8(p.position());
      case ManifestAction.DeleteRange d -> RangeCodec.write(w.u1(12).u1(1), d.rectangle());
      case ManifestAction.CleanedRange c -> {
        w.u1(12).u1(2).i8(c.sequence()).var(c.files().size());
        c.files().forEach(w::text);
      }
      case ManifestAction.ForgetRange f -> w.u1(12).u1(3).i8(f.sequence());
    }
  }

  private static ManifestAction readAction(ByteReader r) {
    int kind = r.u1();
    return switch (kind) {
      case 1 ->
          new ManifestAction.Create(SchemaCodec.readSchema(r), SchemaCodec.readOptions(r), r.i8());
      case 2 -> new ManifestAction.Change(SchemaCodec.readSchema(r), SchemaCodec.readOptions(r));
      case 3 -> {
        List<SstMeta> added = SstMetaCodec.read(r);
        int n = r.count();
        var removed = new ArrayList<String>(n);
        for (int i = 0; i < n; i++) {
          removed.add(r.text());
        }
        yield new ManifestAction.Edit(added, removed, r.i8(), r.i8(), r.i8(), r.i8());
      }
      case 4 -> new ManifestAction.Truncate(r.i8());
      case 5 -> new ManifestAction.Event(readEvent(r));
      case 6 -> new ManifestAction.ForgetEvents(r.i8());
      case 7 -> new ManifestAction.Incarnation(r.i8(), r.i8());
      case 8 -> new ManifestAction.Remove();
      case 9 -> new ManifestAction.Expire(r.i8());
      case 10 -> new ManifestAction.Window(r.i8());
      case 11 -> new ManifestAction.Settled(r.i8());
      case 12 -> readRange(r);
      default -> throw new MillraceException(ErrorCode.DATA_CORRUPTED, "manifest action " + kind);
    };
  }

  private static ManifestAction readRange(ByteReader r) {
    int form = r.u1();
    return switch (form) {
      case 1 -> new ManifestAction.DeleteRange(RangeCodec.readRectangle(r));
      case 2 -> {
        long sequence = r.i8();
        int n = r.count();
        var files = new ArrayList<String>(n);
        for (int i = 0; i < n; i++) {
          files.add(r.text());
        }
        yield new ManifestAction.CleanedRange(sequence, files);
      }
      case 3 -> new ManifestAction.ForgetRange(r.i8());
      default ->
          throw new MillraceException(
              ErrorCode.DATA_CORRUPTED, "manifest action 12 of form " + form);
    };
  }

  private static void write(ByteWriter w, RegionEvent event) {
    switch (event) {
      case RegionEvent.ResetAll e -> w.u1(1).i8(e.sequence());
      case RegionEvent.ResetRange e -> w.u1(2).i8(e.sequence()).i8(e.minTime()).i8(e.maxTime());
      case RegionEvent.Expired e -> w.u1(3).i8(e.sequence()).i8(e.below());
      case RegionEvent.FilesAdded e -> w.u1(4).i8(e.sequence()).i8(e.minTime()).i8(e.maxTime());
    }
  }

  private static RegionEvent readEvent(ByteReader r) {
    int kind = r.u1();
    return switch (kind) {
      case 1 -> new RegionEvent.ResetAll(r.i8());
      case 2 -> new RegionEvent.ResetRange(r.i8(), r.i8(), r.i8());
      case 3 -> new RegionEvent.Expired(r.i8(), r.i8());
      case 4 -> new RegionEvent.FilesAdded(r.i8(), r.i8(), r.i8());
      default -> throw new MillraceException(ErrorCode.DATA_CORRUPTED, "region event " + kind);
    };
  }
}
