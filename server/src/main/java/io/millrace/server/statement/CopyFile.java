package io.millrace.server.statement;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.ast.Option;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/**
 * What a COPY statement says about its file: the form of the rows and how it is compressed. What is
 * not said follows from the ends of the name, as in {@code cpu.json.gz}; rows are text else.
 *
 * @param compression of the whole file, or of the pages of a Parquet file
 * @param options the rest of the options
 */
record CopyFile(String name, Form form, Compression compression, List<Option> options) {
  enum Form {
    /** One of COPY's forms, which the options say. */
    ROWS,

    /** JSON objects, one a line. */
    JSON,

    PARQUET
  }

  enum Compression {
    NONE,
    GZIP,
    ZSTD,
    XZ,
    SNAPPY;

    InputStream reading(InputStream in) throws IOException {
      return switch (this) {
        case NONE, SNAPPY -> in;
        case GZIP -> new GZIPInputStream(in);
        case ZSTD -> new ZstdInputStream(in);
        case XZ -> new XZInputStream(in);
      };
    }

    OutputStream writing(OutputStream out) throws IOException {
      return switch (this) {
        case NONE, SNAPPY -> out;
        case GZIP -> new GZIPOutputStream(out);
        case ZSTD -> new ZstdOutputStream(out);
        case XZ -> new XZOutputStream(out, new LZMA2Options());
      };
    }
  }

  static CopyFile of(String name, List<Option> given) {
    String format = null;
    String compression = null;
    int formatAt = 0;
    var rest = new ArrayList<Option>();
    for (Option o : given) {
      switch (o.key().toLowerCase(Locale.ROOT)) {
        case "format" -> {
          format = once(format, o);
          formatAt = o.position();
        }
        case "compression", "compression_type" -> compression = once(compression, o);
        default -> rest.add(o);
      }
    }
    String plain = name.toLowerCase(Locale.ROOT);
    Compression c = compression(compression, plain);
    plain = c == Compression.NONE ? plain : plain.replaceFirst("\\.(gz|gzip|zst|zstd|xz)$", "");
    String f = format == null ? end(plain) : format.toLowerCase(Locale.ROOT);
    Form form =
        switch (f) {
          case "json" -> Form.JSON;
          case "parquet" -> Form.PARQUET;
          default -> Form.ROWS;
        };
    if (form != Form.ROWS && !rest.isEmpty()) {
      throw new MillraceException(
              ErrorCode.SYNTAX_ERROR, "option \"" + rest.getFirst().key() + "\" not recognized")
          .withHint("Options of " + f + " are format and compression.");
    }
    requireFits(form, c, compression);
    if (form == Form.PARQUET && compression == null) {
      c = Compression.ZSTD;
    }
    rest.add(new Option("format", form == Form.ROWS ? f : "text", formatAt));
    return new CopyFile(name, form, c, List.copyOf(rest));
  }

  /** Parquet compresses pages, with codecs of its own. */
  private static void requireFits(Form form, Compression c, @Nullable String said) {
    if (form == Form.PARQUET ? c == Compression.XZ : c == Compression.SNAPPY) {
      throw unsupported(String.valueOf(said), form);
    }
  }

  private static MillraceException unsupported(String said, Form form) {
    return new MillraceException(
            ErrorCode.FEATURE_NOT_SUPPORTED, "COPY compression \"" + said + "\" is not supported")
        .withHint(
            form == Form.PARQUET
                ? "Compressions of Parquet are none, gzip, snappy and zstd."
                : "Compressions are none, gzip, xz and zstd.");
  }

  boolean json() {
    return form == Form.JSON;
  }

  /** The end of the names of files with these options. */
  static String end(List<Option> options) {
    CopyFile f = of("", options);
    if (f.form() == Form.PARQUET) {
      return ".parquet";
    }
    String format = f.json() ? "json" : String.valueOf(f.options().getLast().value());
    String end =
        switch (format) {
          case "json", "csv", "arrow" -> "." + format;
          case "binary" -> ".bin";
          default -> ".txt";
        };
    return end
        + switch (f.compression()) {
          case NONE, SNAPPY -> "";
          case GZIP -> ".gz";
          case ZSTD -> ".zst";
          case XZ -> ".xz";
        };
  }

  private static String once(@Nullable String before, Option o) {
    if (before != null) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, "conflicting or redundant options");
    }
    String value = o.value();
    if (value == null) {
      throw new MillraceException(ErrorCode.SYNTAX_ERROR, o.key() + " requires a parameter");
    }
    return value;
  }

  private static Compression compression(@Nullable String said, String name) {
    if (said == null) {
      return switch (name.substring(name.lastIndexOf('.') + 1)) {
        case "gz", "gzip" -> Compression.GZIP;
        case "zst", "zstd" -> Compression.ZSTD;
        case "xz" -> Compression.XZ;
        default -> Compression.NONE;
      };
    }
    return switch (said.toLowerCase(Locale.ROOT)) {
      case "none", "uncompressed" -> Compression.NONE;
      case "gzip", "gz" -> Compression.GZIP;
      case "zstd", "zst" -> Compression.ZSTD;
      case "xz" -> Compression.XZ;
      case "snappy" -> Compression.SNAPPY;
      default -> throw unsupported(said, Form.ROWS);
    };
  }

  private static String end(String name) {
    int dot = name.lastIndexOf('.');
    return switch (name.substring(dot + 1)) {
      case "csv" -> "csv";
      case "json", "jsonl", "ndjson" -> "json";
      case "arrow", "arrows" -> "arrow";
      case "parquet" -> "parquet";
      default -> "text";
    };
  }
}
