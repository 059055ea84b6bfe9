package io.millrace.common.copy;

import io.millrace.common.batch.Words;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.ByteSink;
import io.millrace.common.type.io.SessionFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/** COPY text and csv. */
final class TextCopyParser extends CopyParser {
  private static final int EOL_UNKNOWN = 0;
  private static final int EOL_LF = 1;
  private static final int EOL_CRLF = 2;
  private static final int EOL_CR = 3;

  private final CopyOptions options;
  private final boolean csv;
  private final byte delimiter;
  private final byte quote;

  /** The csv escape; 0 where it is the quote itself, which needs no state while searching. */
  private final byte escape;

  private final byte[] nullText;
  private final boolean[] forceNotNull;
  private final boolean[] forceNull;
  private final ByteSink field = new ByteSink(256);
  private boolean headerLeft;

  // The state of the search for the end of a row.
  private int eol = EOL_UNKNOWN;
  private boolean inQuote;
  private boolean escaped;
  private boolean lastWasReturn;
  private int extraLines;

  TextCopyParser(
      CopyOptions options,
      String table,
      List<String> names,
      List<SqlType> types,
      SessionFormat format,
      LongSupplier now,
      int limit) {
    super(table, names, types, format, now, limit);
    this.options = options;
    csv = options.format() == CopyOptions.Format.CSV;
    delimiter = options.delimiter();
    quote = options.quote();
    escape = options.escape() == quote ? 0 : options.escape();
    nullText = options.nullText().getBytes(StandardCharsets.UTF_8);
    forceNotNull = marks(options.forceNotNull());
    forceNull = marks(options.forceNull());
    headerLeft = options.header();
  }

  private boolean[] marks(java.util.Set<String> columns) {
    boolean[] out = new boolean[names.size()];
    for (int i = 0; i < out.length; i++) {
      out[i] = columns.contains(names.get(i));
    }
    return out;
  }

  @Override
  public int feed(byte[] b, int off, int len) {
    int end = off + len;
    int at = off;
    while (at < end && !full() && !ended) {
      int stop = findEnd(b, at, end);
      if (stop < 0) {
        keep(b, at, end);
        return len;
      }
      if (pending.position() > 0) {
        keep(b, at, stop);
        row(pending.array(), 0, pending.position());
        pending.clear();
      } else if (stop - at > MAX_ROW) {
        throw tooLong();
      } else {
        row(b, at, stop);
      }
      at = stop;
    }
    return ended ? len : at - off;
  }

  @Override
  public void finish() {
    if (ended) {
      return;
    }
    if (pending.position() > 0) {
      if (inQuote) {
        line++;
        throw atLine(
            badFormat("unterminated CSV quoted field"), pending.array(), 0, pending.position());
      }
      row(pending.array(), 0, pending.position());
      pending.clear();
    }
    ended = true;
  }

  /** One past the line end of the row that goes on at {@code from}; -1 if it is not there yet. */
  private int findEnd(byte[] b, int from, int end) {
    return csv ? findCsvEnd(b, from, end) : findTextEnd(b, from, end);
  }

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long LF = ONES * '\n';
  private static final long CR = ONES * '\r';
  private static final long BACKSLASH = ONES * '\\';

  private static long zeros(long x) {
    return (x - ONES) & ~x & HIGHS;
  }

  private int findTextEnd(byte[] b, int from, int end) {
    int i = from;
    while (i < end) {
      if (!escaped && !lastWasReturn) {
        while (i + 8 <= end) {
          long w = Words.getLong(b, i);
          if ((zeros(w ^ LF) | zeros(w ^ CR) | zeros(w ^ BACKSLASH)) != 0) {
            break;
          }
          i += 8;
        }
        if (i >= end) {
          break;
        }
      }
      byte c = b[i++];
      if (escaped) {
        escaped = false;
        if (c == '\n') {
          extraLines++;
        }
        continue;
      }
      if (lastWasReturn) {
        lastWasReturn = false;
        if (c == '\n' && eol != EOL_CR) {
          eol = EOL_CRLF;
          return i;
        }
        if (eol == EOL_UNKNOWN) {
          // The byte just read begins the next row.
          eol = EOL_CR;
          return i - 1;
        }
        throw strayReturn();
      }
      if (c == '\\') {
        escaped = true;
      } else if (c == '\n') {
        if (eol == EOL_CRLF || eol == EOL_CR) {
          throw strayNewline();
        }
        eol = EOL_LF;
        return i;
      } else if (c == '\r') {
        if (eol == EOL_LF) {
          throw strayReturn();
        }
        if (eol == EOL_CR) {
          return i;
        }
        lastWasReturn = true;
      }
    }
    return -1;
  }

  private int findCsvEnd(byte[] b, int from, int end) {
    int i = from;
    while (i < end) {
      byte c = b[i++];
      if (lastWasReturn) {
        lastWasReturn = false;
        if (c == '\n' && eol != EOL_CR) {
          eol = EOL_CRLF;
          return i;
        }
        if (eol == EOL_UNKNOWN) {
          eol = EOL_CR;
          return i - 1;
        }
        throw strayReturn();
      }
      if (inQuote && escape != 0 && c == escape) {
        escaped = !escaped;
      }
      if (c == quote && !escaped) {
        inQuote = !inQuote;
      }
      if (c != escape) {
        escaped = false;
      }
      if (c == '\n') {
        if (inQuote) {
          extraLines++;
        } else if (eol == EOL_CRLF || eol == EOL_CR) {
          throw strayNewline();
        } else {
          eol = EOL_LF;
          return i;
        }
      } else if (c == '\r' && !inQuote) {
        if (eol == EOL_LF) {
          throw strayReturn();
        }
        if (eol == EOL_CR) {
          return i;
        }
        lastWasReturn = true;
      }
    }
    return -1;
  }

  private MillraceException strayReturn() {
    return (csv
            ? badFormat("unquoted carriage return found in data")
                .withHint("Use quoted CSV field to represent carriage return.")
            : badFormat("literal carriage return found in data")
                .withHint("Use \"\\r\" to represent carriage return."))
        .withWhere("COPY " + table + ", line " + (line + 1));
  }

  private MillraceException strayNewline() {
    return (csv
            ? badFormat("unquoted newline found in data")
                .withHint("Use quoted CSV field to represent newline.")
            : badFormat("literal newline found in data")
                .withHint("Use \"\\n\" to represent newline."))
        .withWhere("COPY " + table + ", line " + (line + 1));
  }

  /** Reads the row in [from, to), line end included if there is one. */
  private void row(byte[] b, int from, int to) {
    int end = to;
    if (end > from && b[end - 1] == '\n') {
      end--;
      if (eol == EOL_CRLF && end > from && b[end - 1] == '\r') {
        end--;
      }
    } else if (end > from && b[end - 1] == '\r') {
      end--;
    }
    line += 1 + extraLines;
    extraLines = 0;
    if (end - from == 2 && b[from] == '\\' && b[from + 1] == '.') {
      ended = true;
      return;
    }
    if (headerLeft) {
      headerLeft = false;
      if (options.headerMatch()) {
        matchHeader(b, from, end);
      }
      return;
    }
    if (csv) {
      csvRow(b, from, end);
    } else {
      textRow(b, from, end);
    }
    rowRead(b, from, end);
  }

  @Override
  String shownRow(byte[] b, int from, int to) {
    return ": \"" + shown(b, from, to) + "\"";
  }

  private void matchHeader(byte[] b, int from, int end) {
    int at = from;
    int n = 0;
    boolean more = true;
    while (more) {
      field.clear();
      int stop = csv ? csvField(b, at, end) : textField(b, at, end);
      String got = field.toString();
      more = stop < end;
      at = stop + 1;
      n++;
      if (n <= names.size() && !got.equals(names.get(n - 1))) {
        throw atLine(
            badFormat(
                "column name mismatch in header line field "
                    + n
                    + ": got \""
                    + got
                    + "\", expected \""
                    + names.get(n - 1)
                    + "\""),
            b,
            from,
            end);
      }
    }
    if (n != names.size()) {
      throw atLine(
          badFormat(
              "wrong number of fields in header line: got " + n + ", expected " + names.size()),
          b,
          from,
          end);
    }
  }

  private MillraceException atLine(MillraceException e, byte[] b, int from, int end) {
    return e.withWhere("COPY " + table + ", line " + line + ": \"" + shown(b, from, end) + "\"");
  }

  private MillraceException atColumn(MillraceException e, int column, byte[] b, int from, int end) {
    return e.withWhere(
        "COPY "
            + table
            + ", line "
            + line
            + ", column "
            + names.get(column)
            + ": \""
            + shown(b, from, end)
            + "\"");
  }

  private void textRow(byte[] b, int from, int end) {
    int at = from;
    int columns = codecs.length;
    for (int c = 0; c < columns; c++) {
      if (at > end) {
        throw missing(c, b, from, end);
      }
      int stop = at;
      boolean escapes = false;
      while (stop < end && b[stop] != delimiter) {
        if (b[stop] == '\\') {
          escapes = true;
          stop++;
        }
        stop++;
      }
      stop = Math.min(stop, end);
      if (matchesNull(b, at, stop)) {
        builders[c].appendNull();
      } else if (!escapes) {
        parse(c, b, at, stop);
      } else {
        field.clear();
        textField(b, at, end);
        parse(c, field.array(), 0, field.position());
      }
      at = stop + 1;
    }
    if (at <= end && !(columns == 0 && from == end)) {
      throw atLine(badFormat("extra data after last expected column"), b, from, end);
    }
  }

  private boolean matchesNull(byte[] b, int from, int to) {
    return to - from == nullText.length && Arrays.equals(b, from, to, nullText, 0, nullText.length);
  }

  private MillraceException missing(int column, byte[] b, int from, int end) {
    return atLine(badFormat("missing data for column \"" + names.get(column) + "\""), b, from, end);
  }

  private void parse(int column, byte[] b, int from, int to) {
    try {
      codecs[column].parseText(b, from, to - from, builders[column], format);
    } catch (MillraceException e) {
      throw atColumn(e, column, b, from, to);
    }
  }

  /**
   * Puts a text field, unescaped, into {@link #field}; returns where its delimiter or the end is.
   */
  private int textField(byte[] b, int from, int end) {
    int i = from;
    while (i < end && b[i] != delimiter) {
      byte c = b[i++];
      if (c != '\\' || i >= end) {
        field.put(c);
        continue;
      }
      c = b[i++];
      switch (c) {
        case 'b' -> field.put('\b');
        case 'f' -> field.put('\f');
        case 'n' -> field.put('\n');
        case 'r' -> field.put('\r');
        case 't' -> field.put('\t');
        case 'v' -> field.put(11);
        case 'x' -> {
          int v = i < end ? Character.digit(b[i], 16) : -1;
          if (v < 0) {
            field.put('x');
          } else {
            i++;
            int low = i < end ? Character.digit(b[i], 16) : -1;
            if (low >= 0) {
              v = v << 4 | low;
              i++;
            }
            field.put(v);
          }
        }
        default -> {
          if (c >= '0' && c <= '7') {
            int v = c - '0';
            for (int k = 0; k < 2 && i < end && b[i] >= '0' && b[i] <= '7'; k++) {
              v = v << 3 | b[i++] - '0';
            }
            field.put(v);
          } else {
            field.put(c);
          }
        }
      }
    }
    return i;
  }

  private void csvRow(byte[] b, int from, int end) {
    int at = from;
    int columns = codecs.length;
    for (int c = 0; c < columns; c++) {
      if (at > end) {
        throw missing(c, b, from, end);
      }
      int stop = at;
      while (stop < end && b[stop] != delimiter && b[stop] != quote) {
        stop++;
      }
      if (stop < end && b[stop] == quote) {
        field.clear();
        stop = csvField(b, at, end);
        byte[] f = field.array();
        if (forceNull[c] && matchesNull(f, 0, field.position())) {
          builders[c].appendNull();
        } else {
          parse(c, f, 0, field.position());
        }
      } else if (!forceNotNull[c] && matchesNull(b, at, stop)) {
        builders[c].appendNull();
      } else {
        parse(c, b, at, stop);
      }
      at = stop + 1;
    }
    if (at <= end && columns > 0) {
      throw atLine(badFormat("extra data after last expected column"), b, from, end);
    }
  }

  /** Puts a csv field, quotes undone, into {@link #field}; returns where it ends. */
  private int csvField(byte[] b, int from, int end) {
    byte inner = options.escape();
    int i = from;
    boolean quoted = false;
    while (i < end) {
      byte c = b[i];
      if (quoted) {
        if (c == inner && i + 1 < end && (b[i + 1] == inner || b[i + 1] == quote)) {
          field.put(b[i + 1]);
          i += 2;
          continue;
        }
        if (c == quote) {
          quoted = false;
          i++;
          continue;
        }
      } else if (c == delimiter) {
        return i;
      } else if (c == quote) {
        quoted = true;
        i++;
        continue;
      }
      field.put(c);
      i++;
    }
    if (quoted) {
      throw atLine(badFormat("unterminated CSV quoted field"), b, from, end);
    }
    return i;
  }
}
