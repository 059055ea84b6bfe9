package io.millrace.storage.sst.parquet;

import com.github.luben.zstd.Zstd;
import io.millrace.common.batch.Bits;
import io.millrace.common.batch.BoolVector;
import io.millrace.common.batch.BytesVector;
import io.millrace.common.batch.DictVector;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.FloatVector;
import io.millrace.common.batch.IntVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.Layout;
import io.millrace.common.type.SqlType;
import io.millrace.storage.cache.CachedPage;
import io.millrace.storage.cache.PageCache;
import io.millrace.storage.cache.PageKey;
import io.millrace.storage.sst.SstInput;
import io.millrace.storage.sst.SstMeta;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageLocation;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * An open SST: its footer and page indexes decoded, its pages read and decoded on demand through
 * the page cache. A decoded page is kept as blocks of 10,240 rows, the unit in which scans hand
 * rows on. Any thread. What does not check out is DATA_CORRUPTED and names the file.
 */
public final class SstFile implements AutoCloseable {
  /** Rows of a block, but for the last of a row group. */
  public static final int BLOCK_ROWS = SstFormat.BLOCK_ROWS;

  /** Ids of the columns that are not the user's. */
  public static final int SEQUENCE_ID = SstFormat.SEQUENCE_ID;

  public static final int OP_TYPE_ID = SstFormat.OP_TYPE_ID;
  public static final int CLEARED_ID = SstFormat.CLEARED_ID;

  private static final int BLOCKS_PER_PAGE = SstFormat.PAGE_ROWS / SstFormat.BLOCK_ROWS;

  /** Where the pages of a column of a row group lie and what bounds their values. */
  private record Chunk(
      long dictionaryOffset,
      int dictionarySize,
      long[] offsets,
      int[] sizes,
      @Nullable Vector mins,
      @Nullable Vector maxs,
      long @Nullable [] nulls) {}

  private record Column(int id, SqlType type, boolean optional, List<Chunk> chunks) {}

  private final String fileId;
  private final SstInput in;
  private final PageCache cache;
  private final List<Column> columns = new ArrayList<>();
  private final Map<Integer, Integer> byId = new HashMap<>();
  private final int[] groupRows;
  private final long uniform;
  private volatile @Nullable Object attachment;

  private SstFile(SstMeta meta, SstInput in, PageCache cache, FileMetaData footer)
      throws IOException {
    this.fileId = meta.fileId();
    this.uniform = meta.uniform();
    this.in = in;
    this.cache = cache;
    List<RowGroup> groups = known(footer.getRow_groups());
    groupRows = new int[groups.size()];
    for (int g = 0; g < groupRows.length; g++) {
      groupRows[g] = Math.toIntExact(groups.get(g).getNum_rows());
    }
    Map<Integer, SqlType> types = types(footer);
    List<SchemaElement> elements = known(footer.getSchema());
    for (int c = 1; c < elements.size(); c++) {
      SchemaElement e = elements.get(c);
      int id =
          e.isSetField_id()
              ? e.getField_id()
              : switch (known(e.getName())) {
                case SstFormat.SEQUENCE -> SEQUENCE_ID;
                case SstFormat.OP_TYPE -> OP_TYPE_ID;
                case SstFormat.CLEARED -> CLEARED_ID;
                default -> throw new IllegalStateException("column without an id: " + e.getName());
              };
      SqlType type = types.get(id);
      if (type == null) {
        throw new IllegalStateException("column without a type: " + id);
      }
      boolean optional =
          e.getRepetition_type() == org.apache.parquet.format.FieldRepetitionType.OPTIONAL;
      var chunks = new ArrayList<Chunk>();
      for (RowGroup g : groups) {
        chunks.add(chunk(known(g.getColumns()).get(c - 1), type));
      }
      byId.put(id, columns.size());
      columns.add(new Column(id, type, optional, chunks));
    }
  }

  /** Opens a file and checks its footer against what the manifest knows. */
  public static SstFile open(SstInput in, SstMeta meta, PageCache cache) {
    return checked(
        meta.fileId(),
        () -> {
          byte[] tail = new byte[meta.footerLength()];
          if (in.length() != meta.bytes() || tail.length < 12) {
            throw new IllegalStateException("file has " + in.length() + " bytes");
          }
          in.read(in.length() - tail.length, tail, 0, tail.length);
          var crc = new CRC32C();
          crc.update(tail);
          if ((int) crc.getValue() != meta.footerCrc()) {
            throw new IllegalStateException("footer does not match its checksum");
          }
          return new SstFile(
              meta,
              in,
              cache,
              Util.readFileMetaData(new ByteArrayInputStream(tail, 0, tail.length - 8)));
        });
  }

  /** A part of the metadata that every file has. */
  private static <T> T known(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("incomplete metadata");
    }
    return part;
  }

  private interface Body<T> {
    T run() throws IOException;
  }

  private static <T> T checked(String fileId, Body<T> body) {
    try {
      return body.run();
    } catch (MillraceException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED,
          "could not read SST file \"" + fileId + "\": " + e.getMessage(),
          e);
    }
  }

  private static Map<Integer, SqlType> types(FileMetaData footer) {
    Map<String, String> kv = new HashMap<>();
    for (KeyValue p : known(footer.getKey_value_metadata())) {
      kv.put(p.getKey(), p.getValue());
    }
    int version = Integer.parseInt(kv.getOrDefault(SstFormat.KEY_FORMAT, "0"));
    if (version < 1 || version > SstFormat.VERSION) {
      throw new IllegalStateException("format version " + version);
    }
    String text = kv.getOrDefault(SstFormat.KEY_SCHEMA, "");
    if (!Integer.toHexString(SchemaText.crc(text)).equals(kv.get(SstFormat.KEY_CRC))) {
      throw new IllegalStateException("schema does not match its checksum");
    }
    Map<Integer, SqlType> types = new HashMap<>();
    for (SchemaText.StoredColumn c : SchemaText.columns(text)) {
      types.put(c.id(), c.type());
    }
    types.put(SEQUENCE_ID, SstFormat.SEQUENCE_TYPE);
    types.put(OP_TYPE_ID, SstFormat.OP_TYPE_TYPE);
    types.put(CLEARED_ID, SstFormat.CLEARED_TYPE);
    return types;
  }

  private Chunk chunk(ColumnChunk c, SqlType type) throws IOException {
    ColumnMetaData m = known(c.getMeta_data());
    byte[] ob = read(c.getOffset_index_offset(), c.getOffset_index_length());
    OffsetIndex offsets = Util.readOffsetIndex(new ByteArrayInputStream(ob));
    List<PageLocation> locations = known(offsets.getPage_locations());
    int n = locations.size();
    long[] at = new long[n];
    int[] sizes = new int[n];
    for (int i = 0; i < n; i++) {
      at[i] = locations.get(i).getOffset();
      sizes[i] = locations.get(i).getCompressed_page_size();
    }
    Vector mins = null;
    Vector maxs = null;
    long[] nulls = null;
    if (c.isSetColumn_index_offset() && Physical.ordered(type)) {
      byte[] cb = read(c.getColumn_index_offset(), c.getColumn_index_length());
      ColumnIndex index = Util.readColumnIndex(new ByteArrayInputStream(cb));
      mins = bounds(type, known(index.getMin_values()), known(index.getNull_pages()));
      maxs = bounds(type, known(index.getMax_values()), known(index.getNull_pages()));
      nulls = known(index.getNull_counts()).stream().mapToLong(Long::longValue).toArray();
    }
    long dict = m.isSetDictionary_page_offset() ? m.getDictionary_page_offset() : -1;
    int dictSize = dict < 0 ? 0 : Math.toIntExact(m.getData_page_offset() - dict);
    return new Chunk(dict, dictSize, at, sizes, mins, maxs, nulls);
  }

  private static Vector bounds(SqlType type, List<ByteBuffer> values, List<Boolean> nullPages) {
    VectorBuilder b = VectorBuilder.of(type, values.size());
    for (int i = 0; i < values.size(); i++) {
      if (nullPages.get(i)) {
        b.appendNull();
      } else {
        ByteBuffer v = values.get(i);
        byte[] x = new byte[v.remaining()];
        v.duplicate().get(x);
        PageStats.append(x, b);
      }
    }
    return b.build();
  }

  private byte[] read(long offset, int size) {
    byte[] b = new byte[size];
    in.read(offset, b, 0, size);
    return b;
  }

  public String fileId() {
    return fileId;
  }

  public int groups() {
    return groupRows.length;
  }

  public int groupRows(int group) {
    return groupRows[group];
  }

  /** Blocks of a row group. */
  public int blocks(int group) {
    return (groupRows[group] + SstFormat.BLOCK_ROWS - 1) / SstFormat.BLOCK_ROWS;
  }

  public int blockRows(int group, int block) {
    return Math.min(SstFormat.BLOCK_ROWS, groupRows[group] - block * SstFormat.BLOCK_ROWS);
  }

  public static int pageOf(int block) {
    return block / BLOCKS_PER_PAGE;
  }

  /** All columns, those that are not the user's too. */
  public List<Integer> columnIds() {
    return columns.stream().map(Column::id).toList();
  }

  public boolean has(int columnId) {
    return byId.containsKey(columnId);
  }

  private Column column(int id) {
    Integer at = byId.get(id);
    if (at == null) {
      throw new IllegalArgumentException("file " + fileId + " has no column " + id);
    }
    return columns.get(at);
  }

  public SqlType type(int columnId) {
    return column(columnId).type;
  }

  /** Lowest values of the pages of a row group, NULL for pages of NULLs; null if not known. */
  public @Nullable Vector pageMins(int columnId, int group) {
    return constant(columnId) ? null : column(columnId).chunks.get(group).mins;
  }

  public @Nullable Vector pageMaxs(int columnId, int group) {
    return constant(columnId) ? null : column(columnId).chunks.get(group).maxs;
  }

  /** Sequences that the file does not know itself. */
  private boolean constant(int columnId) {
    return uniform != 0 && columnId == SEQUENCE_ID;
  }

  /** Numbers of NULLs of the pages; null if not known. */
  public long @Nullable [] pageNulls(int columnId, int group) {
    return column(columnId).chunks.get(group).nulls;
  }

  /** Whether the page is in the cache. */
  public boolean cached(int columnId, int group, int block) {
    Integer at = byId.get(columnId);
    return at != null && cache.peek(new PageKey(fileId, at, group, pageOf(block))) != null;
  }

  /** The values of a block. */
  public Vector block(int columnId, int group, int block) {
    return block(columnId, group, block, false);
  }

  /**
   * Reads blocks one after the other, for one thread: the page that a column's last block was in is
   * held on to, so that its other blocks come from it even if the cache did not keep it.
   */
  public final class Reader {
    private final @Nullable CachedPage[] pages = new CachedPage[columns.size()];
    private final int[] groups = new int[columns.size()];
    private final int[] numbers = new int[columns.size()];
    private boolean cached;

    /** Whether the last block's page was at hand. */
    public boolean wasCached() {
      return cached;
    }

    /** The values of a block. */
    public Vector block(int columnId, int group, int block) {
      if (constant(columnId)) {
        cached = true;
        return SstFile.this.block(columnId, group, block);
      }
      int at = index(columnId);
      int page = pageOf(block);
      CachedPage p = pages[at];
      cached = p != null && groups[at] == group && numbers[at] == page;
      if (p == null || !cached) {
        var key = new PageKey(fileId, at, group, page);
        p = cache.peek(key);
        cached = p != null;
        if (p == null) {
          p = load(at, key, false);
        }
        pages[at] = p;
        groups[at] = group;
        numbers[at] = page;
      }
      return p.blocks().get(block % BLOCKS_PER_PAGE);
    }
  }

  public Reader reader() {
    return new Reader();
  }

  /** The values of a block of which few are wanted, once: its page does not go to the cache. */
  public Vector blockOnce(int columnId, int group, int block) {
    return block(columnId, group, block, true);
  }

  private Vector block(int columnId, int group, int block, boolean once) {
    if (constant(columnId)) {
      long[] same = new long[blockRows(group, block)];
      Arrays.fill(same, uniform);
      return new LongVector(SqlType.INT8, same, same.length, null);
    }
    int at = index(columnId);
    var key = new PageKey(fileId, at, group, pageOf(block));
    CachedPage p = cache.peek(key);
    if (p == null) {
      p = load(at, key, once);
    }
    return p.blocks().get(block % BLOCKS_PER_PAGE);
  }

  private int index(int columnId) {
    int at = byId.getOrDefault(columnId, -1);
    if (at < 0) {
      throw new IllegalArgumentException("file " + fileId + " has no column " + columnId);
    }
    return at;
  }

  private CachedPage load(int at, PageKey key, boolean once) {
    // The dictionary first: a load may not load another entry of the cache.
    Column c = columns.get(at);
    int group = key.group();
    Vector dictionary = c.chunks.get(group).dictionaryOffset < 0 ? null : dictionary(c, at, group);
    return once
        ? checked(fileId, () -> decode(c, dictionary, group, key.page()))
        : cache.get(key, k -> checked(fileId, () -> decode(c, dictionary, group, k.page())));
  }

  /**
   * Vectors computed from the file before, from the page cache.
   *
   * @param kind tells apart what is computed
   * @param part of that
   */
  public @Nullable List<Vector> derived(int kind, int part) {
    CachedPage p = cache.peek(new PageKey(fileId, -1, kind, part));
    return p == null ? null : p.blocks();
  }

  /** Keeps computed vectors in the page cache. */
  public void keepDerived(int kind, int part, List<Vector> vectors) {
    CachedPage page = CachedPage.of(vectors);
    cache.get(new PageKey(fileId, -1, kind, part), k -> page);
  }

  /** What a reader has put to the open file, to find it again; null if nothing. */
  public @Nullable Object attachment() {
    return attachment;
  }

  /** Puts something small to the open file; what was there is forgotten. */
  public void attach(Object something) {
    attachment = something;
  }

  private record Raw(PageHeader header, byte[] body) {}

  private Raw page(long offset, int size) throws IOException {
    byte[] b = read(offset, size);
    var stream = new ByteArrayInputStream(b);
    PageHeader h = Util.readPageHeader(stream);
    int head = size - stream.available();
    int n = h.getCompressed_page_size();
    if (head + n != size) {
      throw new IllegalStateException("page at " + offset + " has a wrong size");
    }
    var crc = new CRC32();
    crc.update(b, head, n);
    if (h.isSetCrc() && (int) crc.getValue() != h.getCrc()) {
      throw new IllegalStateException("page at " + offset + " does not match its checksum");
    }
    byte[] out = new byte[h.getUncompressed_page_size()];
    long got = Zstd.decompressByteArray(out, 0, out.length, b, head, n);
    if (Zstd.isError(got) || got != out.length) {
      throw new IllegalStateException("page at " + offset + " does not decompress");
    }
    return new Raw(h, out);
  }

  private CachedPage decode(Column c, @Nullable Vector dictionary, int group, int page)
      throws IOException {
    Chunk chunk = c.chunks.get(group);
    int rows = Math.min(SstFormat.PAGE_ROWS, groupRows[group] - page * SstFormat.PAGE_ROWS);
    Raw raw = page(chunk.offsets[page], chunk.sizes[page]);
    if (known(raw.header.getData_page_header()).getNum_values() != rows) {
      throw new IllegalStateException("page at " + chunk.offsets[page] + " has a wrong row count");
    }
    return CachedPage.of(new PageDecoder(c, dictionary, raw).blocks(rows));
  }

  /** The dictionary of a column of a row group as a vector of its entries. */
  private Vector dictionary(Column c, int at, int group) {
    CachedPage p =
        cache.get(
            new PageKey(fileId, at, group, -1),
            k -> checked(fileId, () -> CachedPage.of(List.of(decodeDictionary(c, group)))));
    return p.blocks().getFirst();
  }

  private Vector decodeDictionary(Column c, int group) throws IOException {
    Chunk chunk = c.chunks.get(group);
    Raw raw = page(chunk.dictionaryOffset, chunk.dictionarySize);
    int n = known(raw.header.getDictionary_page_header()).getNum_values();
    byte[] b = raw.body;
    return switch (c.type.layout()) {
      case DOUBLE -> {
        double[] v = new double[n];
        for (int i = 0; i < n; i++) {
          v[i] = Double.longBitsToDouble(Words.getLong(b, i * 8));
        }
        yield new DoubleVector(c.type, v, n, null);
      }
      case FLOAT -> {
        float[] v = new float[n];
        for (int i = 0; i < n; i++) {
          v[i] = Float.intBitsToFloat(Words.getInt(b, i * 4));
        }
        yield new FloatVector(c.type, v, n, null);
      }
      default -> {
        BytesVector v = plainBytes(c, b, 0, n);
        boolean sorted = true;
        for (int i = 1; i < n && sorted; i++) {
          sorted = v.compare(i - 1, v, i) < 0;
        }
        if (c.type.layout() != Layout.BYTES) {
          yield Physical.fromBytes(c.type, v);
        }
        int[] codes = new int[n];
        for (int i = 0; i < n; i++) {
          codes[i] = i;
        }
        yield new DictVector(
            c.type,
            codes,
            new DictVector.FixedDictionary(v.offsets(), v.data(), n, sorted),
            n,
            null);
      }
    };
  }

  private static BytesVector plainBytes(Column c, byte[] b, int off, int n) {
    SqlType type = c.type.layout() == Layout.BYTES ? c.type : SqlType.BYTEA;
    int[] offsets = new int[n + 1];
    if (Physical.fixed(c.type)) {
      for (int i = 0; i <= n; i++) {
        offsets[i] = i * 16;
      }
      return new BytesVector(type, offsets, Arrays.copyOfRange(b, off, off + n * 16), n, null);
    }
    byte[] data = new byte[b.length - off - 4 * n];
    int p = off;
    int at = 0;
    for (int i = 0; i < n; i++) {
      int size = Words.getInt(b, p);
      System.arraycopy(b, p + 4, data, at, size);
      p += 4 + size;
      at += size;
      offsets[i + 1] = at;
    }
    return new BytesVector(type, offsets, data, n, null);
  }

  /** Decodes one data page. */
  private static final class PageDecoder {
    private final Column c;
    private final @Nullable Vector dictionary;
    private final byte[] b;
    private final Encoding encoding;
    private final Decoders decoders = new Decoders();
    private int off;
    private long @Nullable [] validity;

    PageDecoder(Column c, @Nullable Vector dictionary, Raw raw) {
      this.c = c;
      this.dictionary = dictionary;
      this.b = raw.body;
      this.encoding = known(known(raw.header.getData_page_header()).getEncoding());
    }

    List<Vector> blocks(int rows) {
      int dense = rows;
      if (c.optional) {
        dense = levels(rows);
      }
      boolean coded = encoding == Encoding.RLE_DICTIONARY && dense == rows;
      if (coded && dictionary instanceof DoubleVector d) {
        return codedDoubles(d, rows);
      }
      if (coded && dictionary instanceof DictVector d) {
        return codedBytes(d, rows);
      }
      Vector v = values(dense);
      Vector all = dense == rows ? v : spread(v, rows);
      var out = new ArrayList<Vector>();
      for (int i = 0; i < rows; i += SstFormat.BLOCK_ROWS) {
        out.add(all.slice(i, Math.min(SstFormat.BLOCK_ROWS, rows - i)));
      }
      return out;
    }

    private List<Vector> codedDoubles(DoubleVector d, int rows) {
      var out = new ArrayList<Vector>();
      var codes = new Codes(b, off + 1, b.length, b[off]);
      for (int i = 0; i < rows; i += SstFormat.BLOCK_ROWS) {
        int n = Math.min(SstFormat.BLOCK_ROWS, rows - i);
        double[] v = new double[n];
        codes.next(v, n, d.values());
        out.add(new DoubleVector(c.type, v, n, null));
      }
      return out;
    }

    private List<Vector> codedBytes(DictVector d, int rows) {
      var out = new ArrayList<Vector>();
      var codes = new Codes(b, off + 1, b.length, b[off]);
      for (int i = 0; i < rows; i += SstFormat.BLOCK_ROWS) {
        int n = Math.min(SstFormat.BLOCK_ROWS, rows - i);
        int[] v = new int[n];
        codes.next(v, n);
        checkCodes(v, n, d.length());
        out.add(new DictVector(c.type, v, d.dictionary(), n, null));
      }
      return out;
    }

    private static void checkCodes(int[] codes, int n, int size) {
      int max = -1;
      for (int i = 0; i < n; i++) {
        max = Math.max(max, codes[i]);
      }
      if (max >= size) {
        throw new IllegalStateException("code " + max + " of " + size);
      }
    }

    private int levels(int rows) {
      int size = Words.getInt(b, 0);
      off = 4 + size;
      // One run of ones, as where nothing is NULL, needs no look at its rows.
      if (Decoders.allOnes(b, 4, off, rows)) {
        return rows;
      }
      int[] l = new int[rows];
      decoders.hybrid(b, 4, off, 1, l, rows);
      int set = 0;
      for (int i = 0; i < rows; i++) {
        set += l[i];
      }
      if (set < rows) {
        long[] v = new long[Bits.words(rows)];
        for (int i = 0; i < rows; i++) {
          v[i >> 6] |= (long) l[i] << i;
        }
        validity = v;
      }
      return set;
    }

    private Vector values(int n) {
      return switch (encoding) {
        case RLE_DICTIONARY -> coded(n);
        case DELTA_BINARY_PACKED -> {
          long[] wide = new long[n];
          decoders.delta(b, off, wide, n);
          yield whole(wide, n);
        }
        case BYTE_STREAM_SPLIT -> {
          if (c.type.layout() == Layout.FLOAT) {
            float[] v = new float[n];
            Decoders.splitFloats(b, off, v, n);
            yield new FloatVector(c.type, v, n, null);
          }
          double[] v = new double[n];
          Decoders.splitDoubles(b, off, v, n);
          yield new DoubleVector(c.type, v, n, null);
        }
        case PLAIN -> plain(n);
        default -> throw new IllegalStateException("encoding " + encoding);
      };
    }

    private Vector whole(long[] wide, int n) {
      if (c.type.layout() == Layout.LONG) {
        return new LongVector(c.type, wide, n, null);
      }
      int[] v = new int[n];
      for (int i = 0; i < n; i++) {
        v[i] = (int) wide[i];
      }
      return new IntVector(c.type, v, n, null);
    }

    private Vector coded(int n) {
      Vector d = dictionary;
      if (d == null) {
        throw new IllegalStateException("codes without a dictionary");
      }
      int[] codes = new int[n];
      int width = b[off];
      decoders.hybrid(b, off + 1, b.length, width, codes, n);
      checkCodes(codes, n, d.length());
      return switch (d) {
        case DictVector x -> new DictVector(c.type, codes, x.dictionary(), n, null);
        default -> d.take(codes, n);
      };
    }

    private Vector plain(int n) {
      return switch (c.type.layout()) {
        case BOOL -> {
          boolean[] v = new boolean[n];
          for (int i = 0; i < n; i++) {
            v[i] = (b[off + (i >> 3)] >> (i & 7) & 1) != 0;
          }
          yield new BoolVector(c.type, v, n, null);
        }
        case INT -> {
          int[] v = new int[n];
          for (int i = 0; i < n; i++) {
            v[i] = Words.getInt(b, off + i * 4);
          }
          yield new IntVector(c.type, v, n, null);
        }
        case LONG -> {
          long[] v = new long[n];
          for (int i = 0; i < n; i++) {
            v[i] = Words.getLong(b, off + i * 8);
          }
          yield new LongVector(c.type, v, n, null);
        }
        case FLOAT -> {
          float[] v = new float[n];
          for (int i = 0; i < n; i++) {
            v[i] = Float.intBitsToFloat(Words.getInt(b, off + i * 4));
          }
          yield new FloatVector(c.type, v, n, null);
        }
        case DOUBLE -> {
          double[] v = new double[n];
          for (int i = 0; i < n; i++) {
            v[i] = Double.longBitsToDouble(Words.getLong(b, off + i * 8));
          }
          yield new DoubleVector(c.type, v, n, null);
        }
        case BYTES -> plainBytes(c, b, off, n);
        case NUMERIC, INTERVAL, ARRAY, RECORD ->
            Physical.fromBytes(c.type, plainBytes(c, b, off, n));
      };
    }

    /** Puts dense values to the rows that are not NULL. */
    private Vector spread(Vector dense, int rows) {
      long[] valid = validity;
      if (valid == null) {
        return dense;
      }
      return switch (dense) {
        case LongVector v -> {
          long[] out = new long[rows];
          for (int i = 0, k = 0; i < rows; i++) {
            if (Bits.get(valid, i)) {
              out[i] = v.values()[k++];
            }
          }
          yield new LongVector(c.type, out, rows, valid);
        }
        case DoubleVector v -> {
          double[] out = new double[rows];
          for (int i = 0, k = 0; i < rows; i++) {
            if (Bits.get(valid, i)) {
              out[i] = v.values()[k++];
            }
          }
          yield new DoubleVector(c.type, out, rows, valid);
        }
        case IntVector v -> {
          int[] out = new int[rows];
          for (int i = 0, k = 0; i < rows; i++) {
            if (Bits.get(valid, i)) {
              out[i] = v.values()[k++];
            }
          }
          yield new IntVector(c.type, out, rows, valid);
        }
        case DictVector v -> {
          int[] out = new int[rows];
          for (int i = 0, k = 0; i < rows; i++) {
            if (Bits.get(valid, i)) {
              out[i] = v.codes()[k++];
            }
          }
          yield new DictVector(c.type, out, v.dictionary(), rows, valid);
        }
        case BytesVector v -> {
          int[] out = new int[rows + 1];
          for (int i = 0, k = 0; i < rows; i++) {
            if (Bits.get(valid, i)) {
              k++;
            }
            out[i + 1] = v.offsets()[k];
          }
          yield new BytesVector(c.type, out, v.data(), rows, valid);
        }
        default -> {
          VectorBuilder o = VectorBuilder.of(c.type, rows);
          for (int i = 0, k = 0; i < rows; i++) {
            if (Bits.get(valid, i)) {
              o.append(dense, k++);
            } else {
              o.appendNull();
            }
          }
          yield o.build();
        }
      };
    }
  }

  @Override
  public void close() {
    in.close();
  }
}
