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

/**
 * What a COPY statement says about its file: the form of the rows and how it is compressed. What is
 * not said follows from the ends of the name, as in {@code cpu.json.gz}; rows are text else.
 *
 * @param json rows are JSON objects, one a line; else the options say which of COPY's forms they
 *     have
 * @param options the rest of the options
 */
record CopyFile(String name, boolean json, Compression compression, List<Option> options) {
  enum Compression {
    NONE,
    GZIP,
    ZSTD;

    InputStream reading(InputStream in) throws IOException {
      return switch (this) {
        case NONE -> in;
        case GZIP -> new GZIPInputStream(in);
        case ZSTD -> new ZstdInputStream(in);
      };
    }

    OutputStream writing(OutputStream out) throws IOException {
      return switch (this) {
        case NONE -> out;
        case GZIP -> new GZIPOutputStream(out);
        case ZSTD -> new ZstdOutputStream(out);
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
    plain = c == Compression.NONE ? plain : plain.replaceFirst("\\.(gz|gzip|zst|zstd)$", "");
    String f = format == null ? end(plain) : format.toLowerCase(Locale.ROOT);
    boolean json = f.equals("json");
    if (f.equals("parquet")) {
      throw new MillraceException(
              ErrorCode.FEATURE_NOT_SUPPORTED, "COPY format \"parquet\" is not supported")
          .withHint("Formats of files are text, csv, json, arrow and binary.");
    }
    if (json && !rest.isEmpty()) {
      throw new MillraceException(
              ErrorCode.SYNTAX_ERROR, "option \"" + rest.getFirst().key() + "\" not recognized")
          .withHint("Options of json are format and compression.");
    }
    rest.add(new Option("format", json ? "text" : f, formatAt));
    return new CopyFile(name, json, c, List.copyOf(rest));
  }

  /** The end of the names of files with these options. */
  static String end(List<Option> options) {
    CopyFile f = of("", options);
    String format = f.json() ? "json" : String.valueOf(f.options().getLast().value());
    String end =
        switch (format) {
          case "json", "csv", "arrow" -> "." + format;
          case "binary" -> ".bin";
          default -> ".txt";
        };
    return end
        + switch (f.compression()) {
          case NONE -> "";
          case GZIP -> ".gz";
          case ZSTD -> ".zst";
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
      return name.endsWith(".gz") || name.endsWith(".gzip")
          ? Compression.GZIP
          : name.endsWith(".zst") || name.endsWith(".zstd") ? Compression.ZSTD : Compression.NONE;
    }
    return switch (said.toLowerCase(Locale.ROOT)) {
      case "none", "uncompressed" -> Compression.NONE;
      case "gzip", "gz" -> Compression.GZIP;
      case "zstd", "zst" -> Compression.ZSTD;
      default ->
          throw new MillraceException(
                  ErrorCode.FEATURE_NOT_SUPPORTED,
                  "COPY compression \"" + said + "\" is not supported")
              .withHint("Compressions are none, gzip and zstd.");
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
