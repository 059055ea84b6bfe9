package io.millrace.storage.sst;

import io.millrace.storage.IndexKind;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.util.ArrayList;
import java.util.List;

/** What manifests and the log say of files, as bytes. Run, uniform sequence, index by flag. */
public final class SstMetaCodec {
  private static final int MULTI_VERSION = 1;
  private static final int TOMBSTONES = 2;
  private static final int FRESH = 4;
  private static final int RUN = 8;
  private static final int UNIFORM = 16;
  private static final int INDEX = 32;

  private SstMetaCodec() {}

  public static void write(ByteWriter w, List<SstMeta> files) {
    w.var(files.size());
    for (SstMeta f : files) {
      w.text(f.fileId()).var(f.schemaVersion()).i8(f.rows()).i8(f.bytes());
      w.i8(f.minTime()).i8(f.maxTime()).i8(f.minSequence()).i8(f.maxSequence());
      w.i8(f.visibleSince()).u1(flags(f));
      if (f.run() != 0) {
        w.i8(f.run());
      }
      if (f.uniform() != 0) {
        w.i8(f.uniform());
      }
      SideCarMeta index = f.index();
      if (index != null) {
        write(w, index);
      }
      w.var(f.rowGroups()).i4(f.footerLength()).i4(f.footerCrc());
    }
  }

  private static int flags(SstMeta f) {
    return (f.multiVersion() ? MULTI_VERSION : 0)
        | (f.tombstones() ? TOMBSTONES : 0)
        | (f.fresh() ? FRESH : 0)
        | (f.run() != 0 ? RUN : 0)
        | (f.uniform() != 0 ? UNIFORM : 0)
        | (f.index() != null ? INDEX : 0);
  }

  private static void write(ByteWriter w, SideCarMeta x) {
    w.var(x.generation()).i8(x.bytes()).i4(x.footerLength()).i4(x.footerCrc());
    w.var(x.parts().size());
    for (SideCarMeta.Part p : x.parts()) {
      w.text(p.kind().name()).var(p.columnId()).i8(p.bytes()).i4(p.settings());
    }
  }

  private static SideCarMeta readIndex(ByteReader r) {
    int generation = (int) r.var();
    long bytes = r.i8();
    int footerLength = r.i4();
    int footerCrc = r.i4();
    int n = r.count();
    var parts = new ArrayList<SideCarMeta.Part>(n);
    for (int i = 0; i < n; i++) {
      parts.add(new SideCarMeta.Part(IndexKind.valueOf(r.text()), (int) r.var(), r.i8(), r.i4()));
    }
    return new SideCarMeta(generation, bytes, footerLength, footerCrc, parts);
  }

  public static List<SstMeta> read(ByteReader r) {
    int n = r.count();
    var out = new ArrayList<SstMeta>(n);
    for (int i = 0; i < n; i++) {
      String id = r.text();
      int schemaVersion = (int) r.var();
      long rows = r.i8();
      long bytes = r.i8();
      long minTime = r.i8();
      long maxTime = r.i8();
      long minSequence = r.i8();
      long maxSequence = r.i8();
      long visible = r.i8();
      int flags = r.u1();
      long run = (flags & RUN) != 0 ? r.i8() : 0;
      long uniform = (flags & UNIFORM) != 0 ? r.i8() : 0;
      SideCarMeta index = (flags & INDEX) != 0 ? readIndex(r) : null;
      out.add(
          new SstMeta(
              id,
              schemaVersion,
              rows,
              bytes,
              minTime,
              maxTime,
              minSequence,
              maxSequence,
              visible,
              (flags & MULTI_VERSION) != 0,
              (flags & TOMBSTONES) != 0,
              (flags & FRESH) != 0,
              run,
              uniform,
              (int) r.var(),
              r.i4(),
              r.i4(),
              index));
    }
    return out;
  }
}
