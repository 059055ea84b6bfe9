package io.millrace.common.batch.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.millrace.common.batch.Batch;
import io.millrace.common.batch.Words;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;

/**
 * Writes batches as an Arrow IPC stream: {@link #begin} once, {@link #rows} for each batch, {@link
 * #end} once. Types are those nearest to ours ({@link ArrowType}), each column as plain buffers.
 * One thread.
 */
public final class ArrowWriter {
  private static final int CONTINUATION = -1;

  private final List<String> names;
  private final List<ArrowType> types;
  private final SessionFormat format;

  /** A stream of columns with the names and types. */
  public ArrowWriter(List<String> names, List<SqlType> types, SessionFormat format) {
    this.names = List.copyOf(names);
    this.types = types.stream().map(ArrowType::of).toList();
    this.format = format;
  }

  /** The schema. */
  public void begin(ByteSink out) {
    var b = new FlatBufferBuilder(1024);
    int[] fields = new int[types.size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = types.get(i).field(b, names.get(i));
    }
    int schema =
        Schema.createSchema(
            b,
            Endianness.Little,
            Schema.createFieldsVector(b, fields),
            Schema.createCustomMetadataVector(b, new int[0]),
            Schema.createFeaturesVector(b, new long[0]));
    message(b, MessageHeader.Schema, schema, 0, out);
  }

  /** Rows of a batch. */
  public void rows(Batch batch, int from, int count, ByteSink out) {
    var encoder = new ArrowEncoder(format);
    for (int i = 0; i < types.size(); i++) {
      encoder.column(names.get(i), types.get(i), batch.column(i).slice(from, count));
    }
    var b = new FlatBufferBuilder(1024);
    List<long[]> nodes = encoder.nodes();
    List<long[]> buffers = encoder.buffers();
    RecordBatch.startNodesVector(b, nodes.size());
    for (long[] n : nodes.reversed()) {
      FieldNode.createFieldNode(b, n[0], n[1]);
    }
    int nodesAt = b.endVector();
    RecordBatch.startBuffersVector(b, buffers.size());
    for (long[] n : buffers.reversed()) {
      Buffer.createBuffer(b, n[0], n[1]);
    }
    int buffersAt = b.endVector();
    RecordBatch.startRecordBatch(b);
    RecordBatch.addLength(b, count);
    RecordBatch.addNodes(b, nodesAt);
    RecordBatch.addBuffers(b, buffersAt);
    int record = RecordBatch.endRecordBatch(b);
    message(b, MessageHeader.RecordBatch, record, encoder.size(), out);
    out.putBytes(encoder.body(), 0, encoder.size());
  }

  /** The mark of the stream's end. */
  public void end(ByteSink out) {
    prefix(0, out);
  }

  private static void message(
      FlatBufferBuilder b, byte kind, int header, long bodyLength, ByteSink out) {
    Message.startMessage(b);
    Message.addVersion(b, MetadataVersion.V5);
    Message.addHeaderType(b, kind);
    Message.addHeader(b, header);
    Message.addBodyLength(b, bodyLength);
    b.finish(Message.endMessage(b));
    byte[] metadata = b.sizedByteArray();
    int padded = metadata.length + 7 & ~7;
    prefix(padded, out);
    out.putBytes(metadata);
    out.putBytes(new byte[padded - metadata.length]);
  }

  private static void prefix(int length, ByteSink out) {
    byte[] b = new byte[8];
    Words.putInt(b, 0, CONTINUATION);
    Words.putInt(b, 4, length);
    out.putBytes(b);
  }
}
