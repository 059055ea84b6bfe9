package io.millrace.storage.sst.parquet.exchange;

import com.github.luben.zstd.Zstd;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/** The compressions of pages, without Hadoop's codecs. */
final class PageCodecs implements CompressionCodecFactory {
  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName name) {
    return new Compressor(name);
  }

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
    return new Decompressor(name);
  }

  @Override
  public void release() {}

  private static MillraceException unknown(CompressionCodecName name) {
    return new MillraceException(
        ErrorCode.FEATURE_NOT_SUPPORTED, "Parquet compression " + name + " is not supported");
  }

  private record Compressor(CompressionCodecName name) implements BytesInputCompressor {
    @Override
    public BytesInput compress(BytesInput bytes) throws IOException {
      byte[] in = bytes.toInputStream().readAllBytes();
      return switch (name) {
        case UNCOMPRESSED -> BytesInput.from(in);
        case ZSTD -> BytesInput.from(Zstd.compress(in));
        case SNAPPY -> BytesInput.from(Snappy.compress(in));
        case GZIP -> {
          var out = new ByteArrayOutputStream();
          try (var zip = new GZIPOutputStream(out)) {
            zip.write(in);
          }
          yield BytesInput.from(out.toByteArray());
        }
        default -> throw unknown(name);
      };
    }

    @Override
    public CompressionCodecName getCodecName() {
      return name;
    }

    @Override
    public void release() {}
  }

  private record Decompressor(CompressionCodecName name) implements BytesInputDecompressor {
    @Override
    public BytesInput decompress(BytesInput bytes, int size) throws IOException {
      return BytesInput.from(plain(bytes.toInputStream().readAllBytes(), size));
    }

    @Override
    public void decompress(ByteBuffer in, int inSize, ByteBuffer out, int outSize)
        throws IOException {
      byte[] b = new byte[inSize];
      in.get(b);
      out.put(plain(b, outSize));
    }

    private byte[] plain(byte[] in, int size) throws IOException {
      return switch (name) {
        case UNCOMPRESSED -> in;
        case ZSTD -> Zstd.decompress(in, size);
        case SNAPPY -> Snappy.uncompress(in);
        case GZIP -> {
          try (var zip = new GZIPInputStream(new ByteArrayInputStream(in))) {
            yield zip.readNBytes(size);
          }
        }
        case LZ4_RAW -> {
          byte[] out = new byte[size];
          int n = new Lz4Decompressor().decompress(in, 0, in.length, out, 0, size);
          if (n != size) {
            throw new IOException("page of " + n + " bytes, not " + size);
          }
          yield out;
        }
        default -> throw unknown(name);
      };
    }

    @Override
    public void release() {}
  }
}
