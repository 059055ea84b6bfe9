package io.millrace.storage.sst;

import io.millrace.common.batch.Batch;
import io.millrace.storage.RangeDelete;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.codec.VectorCodec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** What manifests and the log say of range deletes, as bytes. */
public final class RangeCodec {
  private RangeCodec() {}

  public static void write(ByteWriter w, RangeDelete d) {
    w.var(d.tagIds().size());
    d.tagIds().forEach(w::var);
    if (!d.tagIds().isEmpty()) {
      VectorCodec.write(w, new Batch(d.tags(), 1));
    }
    w.i8(d.minTime()).i8(d.maxTime()).i8(d.cover());
  }

  public static RangeDelete read(ByteReader r) {
    int n = r.count();
    var ids = new ArrayList<Integer>(n);
    for (int i = 0; i < n; i++) {
      ids.add((int) r.var());
    }
    Batch tags = n == 0 ? new Batch(List.of(), 1) : VectorCodec.readBatch(r);
    return new RangeDelete(ids, tags.columns(), r.i8(), r.i8(), r.i8());
  }

  public static void write(ByteWriter w, Rectangle x) {
    write(w, x.what());
    w.i8(x.sequence()).i8(x.ownFrom());
  }

  public static Rectangle readRectangle(ByteReader r) {
    return new Rectangle(read(r), r.i8(), r.i8());
  }

  public static void write(ByteWriter w, List<RangeMark> marks) {
    w.var(marks.size());
    for (RangeMark m : marks) {
      write(w, m.rectangle());
      w.var(m.clean().size());
      m.clean().stream().sorted().forEach(w::text);
    }
  }

  public static List<RangeMark> readMarks(ByteReader r) {
    int n = r.count();
    var out = new ArrayList<RangeMark>(n);
    for (int i = 0; i < n; i++) {
      Rectangle x = readRectangle(r);
      int files = r.count();
      var clean = new HashSet<String>();
      for (int k = 0; k < files; k++) {
        clean.add(r.text());
      }
      out.add(new RangeMark(x, clean));
    }
    return out;
  }
}
