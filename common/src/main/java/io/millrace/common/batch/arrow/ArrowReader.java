package io.millrace.common.batch.arrow;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.batch.Words;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads an Arrow IPC stream that comes in pieces: a schema, dictionaries, and record batches, each
 * of which becomes a {@link Batch}. Values are copied into vectors of the type nearest to the
 * field's; a dictionary-encoded text stays so.
 *
 * <p>Use: {@link #put} as many bytes as are {@link #missing}; when none are, {@link #message}. One
 * thread. What is not Arrow is BAD_COPY_FILE_FORMAT.
 */
public final class ArrowReader {
  private static final int MAX_MESSAGE = 512 << 20;
  private static final int PREFIX = 8;
  private static final int CONTINUATION = -1;

  private byte[] data = new byte[4096];
  private int size;
  private int metadataEnd = -1;
  private int wanted = PREFIX;
  private boolean ended;
  private List<ArrowField> fields = List.of();
  private boolean schemaRead;
  private final Map<Long, ArrowField> encodings = new HashMap<>();
  private final Map<Long, Vector> dictionaries = new HashMap<>();

  /** The field names of a stream; none if it does not begin with a schema. */
  public static List<String> names(byte[] stream) {
    var reader = new ArrowReader();
    int at = 0;
    while (!reader.schemaRead && at < stream.length && !reader.ended) {
      int n = Math.min(reader.missing(), stream.length - at);
      reader.put(stream, at, n);
      at += n;
      if (reader.missing() == 0 && !reader.ended) {
        reader.message();
      }
    }
    return reader.names();
  }

  /** Bytes that are wanted next; 0 when there is a whole message. */
  public int missing() {
    return wanted - size;
  }

  /** Whether the stream has ended by itself. */
  public boolean ended() {
    return ended;
  }

  /** Whether the stream may end here. */
  public boolean between() {
    return size == 0;
  }

  /** Whether the names and types are known. */
  public boolean schemaRead() {
    return schemaRead;
  }

  public List<String> names() {
    return fields.stream().map(ArrowField::name).toList();
  }

  public List<SqlType> types() {
    return fields.stream().map(ArrowField::type).toList();
  }

  /** Takes bytes, at most those that are missing. */
  public void put(byte[] b, int off, int count) {
    if (size + count > data.length) {
      data = Arrays.copyOf(data, Math.max(wanted, Math.min(MAX_MESSAGE, data.length * 2)));
    }
    System.arraycopy(b, off, data, size, count);
    size += count;
    if (size == wanted && metadataEnd < 0) {
      prefix();
    }
    if (size == wanted && size > PREFIX && size == metadataEnd) {
      body();
    }
  }

  private void prefix() {
    if (Words.getInt(data, 0) != CONTINUATION) {
      throw malformed("a message does not begin as one");
    }
    int length = Words.getInt(data, 4);
    if (length == 0) {
      ended = true;
      size = 0;
      return;
    }
    if (length < 0 || length > MAX_MESSAGE) {
      throw malformed("a message of " + length + " bytes");
    }
    metadataEnd = PREFIX + length;
    wanted = metadataEnd;
  }

  private Message metadata() {
    return Message.getRootAsMessage(ByteBuffer.wrap(data, PREFIX, metadataEnd - PREFIX).slice());
  }

  private void body() {
    long length;
    try {
      length = metadata().bodyLength();
    } catch (RuntimeException e) {
      throw malformed(e);
    }
    if (length < 0 || metadataEnd + length > MAX_MESSAGE) {
      throw new MillraceException(
          ErrorCode.PROGRAM_LIMIT_EXCEEDED,
          "Arrow message of " + length + " bytes is larger than " + (MAX_MESSAGE >> 20) + " MiB");
    }
    wanted = metadataEnd + (int) length;
  }

  /** The rows of the message that is whole now; null if it has none. */
  public @Nullable Batch message() {
    try {
      return read(metadata());
    } catch (MillraceException e) {
      throw e;
    } catch (RuntimeException e) {
      throw malformed(e);
    } finally {
      size = 0;
      metadataEnd = -1;
      wanted = PREFIX;
    }
  }

  private @Nullable Batch read(Message m) {
    switch (m.headerType()) {
      case MessageHeader.Schema -> schema((Schema) m.header(new Schema()));
      case MessageHeader.DictionaryBatch ->
          dictionary((DictionaryBatch) m.header(new DictionaryBatch()));
      case MessageHeader.RecordBatch -> {
        if (!schemaRead) {
          throw malformed("rows before the schema");
        }
        return batch((RecordBatch) m.header(new RecordBatch()), fields);
      }
      default -> throw malformed("a message of kind " + m.headerType());
    }
    return null;
  }

  private void schema(Schema s) {
    if (schemaRead) {
      throw malformed("a second schema");
    }
    if (s.endianness() != Endianness.Little) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "big-endian Arrow data is not supported");
    }
    var out = new ArrayList<ArrowField>();
    for (int i = 0; i < s.fieldsLength(); i++) {
      out.add(ArrowField.of(s.fields(i)));
    }
    fields = List.copyOf(out);
    fields.forEach(this::encodings);
    schemaRead = true;
  }

  private void encodings(ArrowField f) {
    if (f.index() != null) {
      encodings.put(f.dictionary(), f.values());
    }
    f.children().forEach(this::encodings);
  }

  private void dictionary(DictionaryBatch d) {
    ArrowField values = encodings.get(d.id());
    if (values == null) {
      throw malformed("a dictionary that no field has");
    }
    Vector read = batch(d.data(), List.of(values)).column(0);
    Vector before = dictionaries.get(d.id());
    if (d.isDelta() && before != null) {
      VectorBuilder both = VectorBuilder.of(read.type(), before.length() + read.length());
      both.append(before, 0, before.length());
      both.append(read, 0, read.length());
      read = both.build();
    }
    dictionaries.put(d.id(), read);
  }

  private Batch batch(RecordBatch r, List<ArrowField> columns) {
    if (r.compression() != null) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "compressed Arrow data is not supported");
    }
    var decoder = new ArrowDecoder(r, data, metadataEnd, wanted, dictionaries);
    var out = new ArrayList<Vector>();
    for (ArrowField f : columns) {
      out.add(decoder.column(f));
    }
    return new Batch(out, Math.toIntExact(r.length()));
  }

  private static MillraceException malformed(RuntimeException e) {
    return new MillraceException(
        ErrorCode.BAD_COPY_FILE_FORMAT, "malformed Arrow data: " + e.getMessage(), e);
  }

  static MillraceException malformed(String what) {
    return new MillraceException(ErrorCode.BAD_COPY_FILE_FORMAT, "malformed Arrow data: " + what);
  }
}
