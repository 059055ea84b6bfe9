package io.millrace.storage.sst.parquet;

import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorConcat;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.OpType;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.SstOutput;
import io.millrace.storage.sst.index.SideCarWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.apache.parquet.format.BoundaryOrder;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * Writes one SST, see {@link SstFormat}. Rows come in key order in pieces of any size; a row group
 * is held in memory and written column by column. One thread.
 */
public final class SstWriter implements AutoCloseable {
  /**
   * Sorted rows.
   *
   * @param columns in the schema's order
   * @param sequence per row
   * @param ops operation codes per row
   * @param cleared encoded column sets, NULL where none; null if there are none
   */
  public record Piece(
      List<Vector> columns, LongVector sequence, byte[] ops, @Nullable Vector cleared, int rows) {}

  private record FileColumn(
      int id, String name, SqlType type, boolean optional, ChunkEncoder encoder) {}

  private static final class GroupChunk {
    final List<PageLocation> locations = new ArrayList<>();
    final List<PageStats> stats = new ArrayList<>();
    final ColumnChunk chunk = new ColumnChunk();
    long rawBytes;
  }

  private final SstOutput out;
  private final TableSchema schema;
  private final List<FileColumn> columns = new ArrayList<>();
  private final boolean withCleared;
  private final int groupRows;
  private final @Nullable SideCarWriter indexes;
  private final List<List<GroupChunk>> groups = new ArrayList<>();
  private final List<RowGroup> rowGroups = new ArrayList<>();
  private final List<Piece> pending = new ArrayList<>();
  private int pendingRows;
  private long position;
  private long rows;
  private long minTime = Long.MAX_VALUE;
  private long maxTime = Long.MIN_VALUE;
  private long minSequence = Long.MAX_VALUE;
  private long maxSequence;
  private boolean tombstones;

  /** A writer of a file without indexes. */
  public SstWriter(SstOutput out, TableSchema schema, boolean withCleared) {
    this(out, schema, withCleared, 0, null);
  }

  /**
   * A writer.
   *
   * @param withCleared whether rows may carry sets of cleared columns
   * @param groupRows rows of a row group at most; 0 or what is too many = as many as may be
   * @param indexes told of every row group; finished with the file, closed by the caller
   */
  public SstWriter(
      SstOutput out,
      TableSchema schema,
      boolean withCleared,
      int groupRows,
      @Nullable SideCarWriter indexes) {
    this.groupRows =
        groupRows == 0 ? SstFormat.GROUP_ROWS : Math.min(groupRows, SstFormat.GROUP_ROWS);
    this.indexes = indexes;
    this.out = out;
    this.schema = schema;
    this.withCleared = withCleared;
    for (ColumnSchema c : schema.columns()) {
      boolean time = c.id() == schema.timeIndexId();
      columns.add(
          new FileColumn(
              c.id(), c.name(), c.type(), !time, new ChunkEncoder(c.type(), !time, time)));
    }
    columns.add(own(SstFormat.SEQUENCE_ID, SstFormat.SEQUENCE, SstFormat.SEQUENCE_TYPE, false));
    columns.add(own(SstFormat.OP_TYPE_ID, SstFormat.OP_TYPE, SstFormat.OP_TYPE_TYPE, false));
    if (withCleared) {
      columns.add(own(SstFormat.CLEARED_ID, SstFormat.CLEARED, SstFormat.CLEARED_TYPE, true));
    }
    write(SstFormat.MAGIC, SstFormat.MAGIC.length);
  }

  private static FileColumn own(int id, String name, SqlType type, boolean optional) {
    return new FileColumn(id, name, type, optional, new ChunkEncoder(type, optional, !optional));
  }

  /** Bytes written so far, without the row group in memory. */
  public long bytes() {
    return position;
  }

  public long rows() {
    return rows;
  }

  public void add(Piece piece) {
    if (piece.rows == 0) {
      return;
    }
    observe(piece);
    pending.add(piece);
    pendingRows += piece.rows;
    while (pendingRows >= groupRows) {
      writeGroup(groupRows);
    }
  }

  private void observe(Piece p) {
    Vector time = p.columns.get(schema.indexOf(schema.timeIndexId()));
    for (int i = 0; i < p.rows; i++) {
      long t = time instanceof LongVector l ? l.get(i) : ((IntVector) time).get(i);
      minTime = Math.min(minTime, t);
      maxTime = Math.max(maxTime, t);
      minSequence = Math.min(minSequence, p.sequence.get(i));
      maxSequence = Math.max(maxSequence, p.sequence.get(i));
      tombstones |= p.ops[i] == OpType.DELETE.code() || p.ops[i] == OpType.CLEAR.code();
    }
    rows += p.rows;
  }

  private void write(byte[] b, int n) {
    out.write(b, 0, n);
    position += n;
  }

  private Vector value(Piece p, int column) {
    int n = schema.columns().size();
    if (column < n) {
      return p.columns.get(column);
    }
    if (column == n) {
      return p.sequence;
    }
    if (column == n + 1) {
      int[] ops = new int[p.rows];
      for (int i = 0; i < p.rows; i++) {
        ops[i] = p.ops[i];
      }
      return new IntVector(SstFormat.OP_TYPE_TYPE, ops, p.rows, null);
    }
    Vector c = p.cleared;
    if (c != null) {
      return c;
    }
    var b = io.millrace.common.batch.VectorBuilder.of(SstFormat.CLEARED_TYPE, p.rows);
    for (int i = 0; i < p.rows; i++) {
      b.appendNull();
    }
    return b.build();
  }

  /** Writes the first n pending rows as a row group. */
  private void writeGroup(int n) {
    long start = position;
    var chunks = new ArrayList<GroupChunk>();
    var metas = new ArrayList<ColumnChunk>();
    long raw = 0;
    SideCarWriter x = indexes;
    for (int c = 0; c < columns.size(); c++) {
      FileColumn column = columns.get(c);
      List<Vector> pages = pages(c, n);
      GroupChunk g = writeChunk(column, pages, n);
      if (x != null && x.wants(column.id)) {
        x.column(column.id, pages);
      }
      chunks.add(g);
      metas.add(g.chunk);
      raw += g.rawBytes;
    }
    var rg = new RowGroup(metas, raw, n);
    rg.setFile_offset(start);
    rg.setTotal_compressed_size(position - start);
    rg.setOrdinal((short) rowGroups.size());
    rowGroups.add(rg);
    groups.add(chunks);
    if (x != null) {
      x.endGroup(n);
    }
    drop(n);
  }

  private List<Vector> pages(int column, int n) {
    var out2 = new ArrayList<Vector>();
    var values = new ArrayList<Vector>();
    for (Piece p : pending) {
      values.add(value(p, column));
    }
    int piece = 0;
    int offset = 0;
    for (int at = 0; at < n; at += SstFormat.PAGE_ROWS) {
      int want = Math.min(SstFormat.PAGE_ROWS, n - at);
      var sources = new ArrayList<@Nullable Vector>();
      var from = new ArrayList<Integer>();
      var count = new ArrayList<Integer>();
      while (want > 0) {
        Vector v = values.get(piece);
        int take = Math.min(want, v.length() - offset);
        sources.add(v);
        from.add(offset);
        count.add(take);
        want -= take;
        offset += take;
        if (offset == v.length()) {
          piece++;
          offset = 0;
        }
      }
      out2.add(
          VectorConcat.concat(
              columns.get(column).type,
              sources.toArray(new @Nullable Vector[0]),
              from.stream().mapToInt(Integer::intValue).toArray(),
              count.stream().mapToInt(Integer::intValue).toArray(),
              sources.size()));
    }
    return out2;
  }

  private void drop(int n) {
    pendingRows -= n;
    while (n > 0) {
      Piece p = pending.removeFirst();
      if (p.rows <= n) {
        n -= p.rows;
        continue;
      }
      int left = p.rows - n;
      var rest = new ArrayList<Vector>();
      for (Vector v : p.columns) {
        rest.add(v.slice(n, left));
      }
      Vector cl = p.cleared;
      pending.addFirst(
          new Piece(
              rest,
              p.sequence.slice(n, left),
              java.util.Arrays.copyOfRange(p.ops, n, p.rows),
              cl == null ? null : cl.slice(n, left),
              left));
      n = 0;
    }
  }

  private GroupChunk writeChunk(FileColumn column, List<Vector> pages, int n) {
    ChunkEncoder.Result r = column.encoder.encode(pages);
    var g = new GroupChunk();
    long start = position;
    long raw = 0;
    var encodings = new ArrayList<Encoding>();
    encodings.add(Encoding.RLE);
    var meta = new ColumnMetaData();
    ChunkEncoder.Dictionary d = r.dictionary();
    if (d != null) {
      var h = new PageHeader(PageType.DICTIONARY_PAGE, d.rawSize(), d.compressed().length);
      h.setDictionary_page_header(new DictionaryPageHeader(d.entries(), Encoding.PLAIN));
      meta.setDictionary_page_offset(position);
      raw += d.rawSize() + writePage(h, d.compressed());
      encodings.add(Encoding.PLAIN);
    }
    meta.setData_page_offset(position);
    long first = 0;
    for (ChunkEncoder.Page p : r.pages()) {
      var h = new PageHeader(PageType.DATA_PAGE, p.rawSize(), p.compressed().length);
      h.setData_page_header(new DataPageHeader(p.rows(), p.encoding(), Encoding.RLE, Encoding.RLE));
      long at = position;
      raw += p.rawSize() + writePage(h, p.compressed());
      g.locations.add(new PageLocation(at, (int) (position - at), first));
      g.stats.add(p.stats());
      if (!encodings.contains(p.encoding())) {
        encodings.add(p.encoding());
      }
      first += p.rows();
    }
    meta.setType(Physical.type(column.type));
    meta.setEncodings(encodings);
    meta.setPath_in_schema(List.of(column.name));
    meta.setCodec(CompressionCodec.ZSTD);
    meta.setNum_values(n);
    meta.setTotal_uncompressed_size(raw);
    meta.setTotal_compressed_size(position - start);
    meta.setStatistics(statistics(column.type, g.stats));
    g.chunk.setFile_offset(0);
    g.chunk.setMeta_data(meta);
    g.rawBytes = raw;
    return g;
  }

  private int writePage(PageHeader h, byte[] body) {
    var crc = new CRC32();
    crc.update(body);
    h.setCrc((int) crc.getValue());
    var head = new ByteArrayOutputStream();
    try {
      Util.writePageHeader(h, head);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] hb = head.toByteArray();
    write(hb, hb.length);
    write(body, body.length);
    return hb.length;
  }

  private static Statistics statistics(SqlType type, List<PageStats> pages) {
    var s = new Statistics();
    long nulls = 0;
    byte[] min = null;
    byte[] max = null;
    boolean known = true;
    for (PageStats p : pages) {
      nulls += p.nulls();
      byte[] lo = p.min();
      byte[] hi = p.max();
      if (lo == null || hi == null) {
        known &= p.nulls() == p.rows();
        continue;
      }
      min = min == null || compare(type, lo, min) < 0 ? lo : min;
      max = max == null || compare(type, hi, max) > 0 ? hi : max;
    }
    s.setNull_count(nulls);
    if (known && min != null && max != null) {
      s.setMin_value(min);
      s.setMax_value(max);
    }
    return s;
  }

  private static int compare(SqlType type, byte[] a, byte[] b) {
    var x = io.millrace.common.batch.VectorBuilder.of(type, 2);
    PageStats.append(a, x);
    PageStats.append(b, x);
    Vector v = x.build();
    return v.compare(0, v, 1);
  }

  /**
   * Writes what is left, the indexes and the footer, and finishes the output.
   *
   * @param multiVersion some key occurs more than once
   * @param fresh no key was in the region before
   */
  public SstMeta finish(String fileId, boolean multiVersion, boolean fresh) {
    if (pendingRows > 0) {
      writeGroup(pendingRows);
    }
    try {
      writeIndexes();
      var footer = new ByteArrayOutputStream();
      Util.writeFileMetaData(metadata(multiVersion), footer);
      int length = footer.size();
      byte[] b = footer.toByteArray();
      byte[] tail = java.util.Arrays.copyOf(b, length + 8);
      io.millrace.common.batch.Words.putInt(tail, length, length);
      System.arraycopy(SstFormat.MAGIC, 0, tail, length + 4, 4);
      write(tail, tail.length);
      out.finish();
      var crc = new CRC32C();
      crc.update(tail, 0, tail.length);
      return new SstMeta(
          fileId,
          schema.version(),
          rows,
          position,
          minTime,
          maxTime,
          minSequence,
          maxSequence,
          0,
          multiVersion,
          tombstones,
          fresh,
          0,
          0,
          rowGroups.size(),
          tail.length,
          (int) crc.getValue(),
          indexes == null ? null : indexes.finish());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void writeIndexes() throws IOException {
    for (List<GroupChunk> group : groups) {
      for (GroupChunk g : group) {
        var nullPages = new ArrayList<Boolean>();
        var mins = new ArrayList<ByteBuffer>();
        var maxs = new ArrayList<ByteBuffer>();
        var nulls = new ArrayList<Long>();
        boolean known = true;
        for (PageStats s : g.stats) {
          byte[] lo = s.min();
          byte[] hi = s.max();
          boolean allNull = s.nulls() == s.rows();
          known &= allNull || (lo != null && hi != null);
          nullPages.add(allNull);
          mins.add(ByteBuffer.wrap(lo == null ? new byte[0] : lo));
          maxs.add(ByteBuffer.wrap(hi == null ? new byte[0] : hi));
          nulls.add((long) s.nulls());
        }
        if (!known) {
          continue;
        }
        var index = new ColumnIndex(nullPages, mins, maxs, BoundaryOrder.UNORDERED);
        index.setNull_counts(nulls);
        var bytes = new ByteArrayOutputStream();
        Util.writeColumnIndex(index, bytes);
        g.chunk.setColumn_index_offset(position);
        g.chunk.setColumn_index_length(bytes.size());
        write(bytes.toByteArray(), bytes.size());
      }
    }
    for (List<GroupChunk> group : groups) {
      for (GroupChunk g : group) {
        var bytes = new ByteArrayOutputStream();
        Util.writeOffsetIndex(new OffsetIndex(g.locations), bytes);
        g.chunk.setOffset_index_offset(position);
        g.chunk.setOffset_index_length(bytes.size());
        write(bytes.toByteArray(), bytes.size());
      }
    }
  }

  private FileMetaData metadata(boolean multiVersion) {
    var elements = new ArrayList<SchemaElement>();
    var root = new SchemaElement("row");
    root.setNum_children(columns.size());
    elements.add(root);
    var orders = new ArrayList<ColumnOrder>();
    for (FileColumn c : columns) {
      var e = new SchemaElement(c.name);
      e.setRepetition_type(
          c.optional ? FieldRepetitionType.OPTIONAL : FieldRepetitionType.REQUIRED);
      if (c.id >= 0) {
        e.setField_id(c.id);
      }
      Physical.describe(c.type, e);
      elements.add(e);
      orders.add(ColumnOrder.TYPE_ORDER(new TypeDefinedOrder()));
    }
    var m = new FileMetaData(2, elements, rows, rowGroups);
    m.setColumn_orders(orders);
    m.setCreated_by("millrace version " + SstFormat.VERSION);
    String text = SchemaText.write(schema);
    String flags =
        (multiVersion ? "multi_version " : "")
            + (tombstones ? "tombstones " : "")
            + (withCleared ? "cleared" : "");
    m.setKey_value_metadata(
        List.of(
            pair(SstFormat.KEY_FORMAT, Integer.toString(SstFormat.VERSION)),
            pair(SstFormat.KEY_SCHEMA, text),
            pair(SstFormat.KEY_CRC, Integer.toHexString(SchemaText.crc(text))),
            pair(SstFormat.KEY_FLAGS, flags.strip())));
    return m;
  }

  private static KeyValue pair(String k, String v) {
    var kv = new KeyValue(k);
    kv.setValue(v);
    return kv;
  }

  /** Gives up unless finished. */
  @Override
  public void close() {
    out.close();
  }
}
