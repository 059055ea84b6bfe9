package io.millrace.storage.sst.index;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.Vector;
import io.millrace.common.text.TextMatch;
import io.millrace.common.text.Words;
import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * Which rows of a row group have which words: a Lucene index of one segment, a row being a document
 * by its place. It holds no positions, for it only rules rows out; what is left is looked at as
 * text.
 *
 * <p>As a blob: version u1, whether words are kept as written too u1, rows var, number of Lucene's
 * files var, per file its name and length, then the files.
 */
final class FullTextIndex implements IndexBlock {
  private static final int VERSION = 1;

  /** Longer words are cut, which only makes more rows possible. */
  private static final int MAX_WORD = 200;

  private static final String FOLDED = "f";
  private static final String EXACT = "e";
  private static final double WRITE_BUFFER_MB = 256;

  private final DirectoryReader reader;
  private final boolean exact;
  private final long bytes;

  private FullTextIndex(DirectoryReader reader, boolean exact, long bytes) {
    this.reader = reader;
    this.exact = exact;
    this.bytes = bytes;
  }

  /** Builds the blob from the pages of a text column. */
  static byte[] build(List<Vector> pages, int rows, boolean exact) {
    try (var directory = new ByteBuffersDirectory()) {
      var config = new IndexWriterConfig();
      config.setMergePolicy(NoMergePolicy.INSTANCE);
      config.setMergeScheduler(new SerialMergeScheduler());
      config.setRAMBufferSizeMB(WRITE_BUFFER_MB);
      config.setUseCompoundFile(true);
      try (var writer = new IndexWriter(directory, config)) {
        add(writer, pages, exact);
      }
      return blob(directory, rows, exact);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds a document per row, always the same one. */
  private static void add(IndexWriter writer, List<Vector> pages, boolean exact)
      throws IOException {
    var folded = new WordStream(true);
    var written = new WordStream(false);
    var document = new Document();
    document.add(new Field(FOLDED, folded, type()));
    if (exact) {
      document.add(new Field(EXACT, written, type()));
    }
    for (Vector page : pages) {
      var texts = (BytesColumn) page;
      for (int i = 0; i < texts.length(); i++) {
        String text = texts.isNull(i) ? "" : texts.string(i);
        folded.words.reset(text);
        written.words.reset(text);
        writer.addDocument(document);
      }
    }
  }

  private static FieldType type() {
    var t = new FieldType();
    t.setTokenized(true);
    t.setOmitNorms(true);
    t.setIndexOptions(IndexOptions.DOCS);
    t.freeze();
    return t;
  }

  /** The words of a text. */
  private static final class WordStream extends TokenStream {
    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final Words words = new Words("");
    private final boolean folded;

    WordStream(boolean folded) {
      this.folded = folded;
    }

    @Override
    public boolean incrementToken() {
      clearAttributes();
      if (!words.next()) {
        return false;
      }
      term.append(cut(folded ? words.folded() : words.word()));
      return true;
    }
  }

  private static String cut(String word) {
    if (word.length() <= MAX_WORD) {
      return word;
    }
    boolean within = Character.isHighSurrogate(word.charAt(MAX_WORD - 1));
    return word.substring(0, within ? MAX_WORD - 1 : MAX_WORD);
  }

  private static byte[] blob(ByteBuffersDirectory directory, int rows, boolean exact)
      throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : directory.listAll()) {
      try (IndexInput in = directory.openInput(name, IOContext.DEFAULT)) {
        byte[] b = new byte[Math.toIntExact(in.length())];
        in.readBytes(b, 0, b.length);
        files.put(name, b);
      }
    }
    int size = files.values().stream().mapToInt(b -> b.length).sum();
    var w = new ByteWriter(size + 256);
    w.u1(VERSION).u1(exact ? 1 : 0).var(rows).var(files.size());
    files.forEach((name, b) -> w.text(name).var(b.length));
    files.values().forEach(b -> w.bytes(b, 0, b.length));
    return w.toBytes();
  }

  static FullTextIndex read(byte[] blob) {
    var r = new ByteReader(blob, 0, blob.length);
    SideCarFormat.version(r.u1(), VERSION);
    boolean exact = r.u1() == 1;
    int rows = (int) r.var();
    int n = r.count();
    var names = new ArrayList<String>();
    int[] sizes = new int[n];
    for (int i = 0; i < n; i++) {
      names.add(r.text());
      sizes[i] = (int) r.var();
    }
    try {
      var directory = new ByteBuffersDirectory();
      for (int i = 0; i < n; i++) {
        try (IndexOutput out = directory.createOutput(names.get(i), IOContext.DEFAULT)) {
          out.writeBytes(blob, r.skip(sizes[i]), sizes[i]);
        }
      }
      DirectoryReader reader = DirectoryReader.open(directory);
      if (reader.maxDoc() != rows) {
        throw new IllegalStateException("full-text index of " + reader.maxDoc() + " rows");
      }
      return new FullTextIndex(reader, exact, blob.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long bytes() {
    return 4096 + bytes;
  }

  /** Rows that can match; null where all may. */
  @Nullable RoaringBitmap rows(TextMatch match) {
    try {
      return rows(match.clause());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable RoaringBitmap rows(TextMatch.Clause c) throws IOException {
    switch (c) {
      case TextMatch.Clause.Anything _ -> {
        return null;
      }
      case TextMatch.Clause.Word w -> {
        return word(w);
      }
      case TextMatch.Clause.All a -> {
        RoaringBitmap out = null;
        for (TextMatch.Clause p : a.parts()) {
          RoaringBitmap some = rows(p);
          out = some == null ? out : out == null ? some : RoaringBitmap.and(out, some);
        }
        return out;
      }
      case TextMatch.Clause.Any a -> {
        var out = new RoaringBitmap();
        for (TextMatch.Clause p : a.parts()) {
          RoaringBitmap some = rows(p);
          if (some == null) {
            return null;
          }
          out.or(some);
        }
        return out;
      }
    }
  }

  private RoaringBitmap word(TextMatch.Clause.Word w) throws IOException {
    boolean asWritten = exact && !w.folded();
    String word = w.word();
    if (!asWritten && !w.folded()) {
      var words = new Words(word);
      word = words.next() ? words.folded() : word;
    }
    var out = new RoaringBitmap();
    for (LeafReaderContext leaf : reader.leaves()) {
      Terms terms = leaf.reader().terms(asWritten ? EXACT : FOLDED);
      TermsEnum at = terms == null ? null : terms.iterator();
      if (at == null || !at.seekExact(new BytesRef(cut(word)))) {
        continue;
      }
      PostingsEnum docs = at.postings(null, PostingsEnum.NONE);
      for (int d = docs.nextDoc(); d != DocIdSetIterator.NO_MORE_DOCS; d = docs.nextDoc()) {
        out.add(leaf.docBase + d);
      }
    }
    return out;
  }
}
