package io.millrace.sqlness;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client of the simple query protocol that hides nothing: a driver rewrites some values and drops
 * type modifiers.
 */
final class Wire implements AutoCloseable {
  private static final int PROTOCOL = 3 << 16;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  record Column(String name, int oid, int typmod) {}

  /** What a statement gave; the fields of its error by their letters, empty if there was none. */
  record Reply(
      List<Column> columns, List<List<@Nullable String>> rows, Map<Character, String> error) {}

  Wire(String host, int port, String user, String database) throws IOException {
    socket = new Socket(host, port);
    socket.setSoTimeout(60_000);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = new DataOutputStream(socket.getOutputStream());
    var startup = new ByteArrayOutputStream();
    var fields = new DataOutputStream(startup);
    fields.writeInt(PROTOCOL);
    for (String s : List.of("user", user, "database", database, "client_encoding", "UTF8")) {
      fields.write(s.getBytes(StandardCharsets.UTF_8));
      fields.write(0);
    }
    fields.write(0);
    out.writeInt(startup.size() + 4);
    startup.writeTo(out);
    out.flush();
    read();
  }

  Reply query(String sql) throws IOException {
    byte[] text = sql.getBytes(StandardCharsets.UTF_8);
    send('Q', text);
    return read();
  }

  private void send(char kind, byte[] text) throws IOException {
    out.write(kind);
    out.writeInt(text.length + 5);
    out.write(text);
    out.write(0);
    out.flush();
  }

  private Reply read() throws IOException {
    var columns = new ArrayList<Column>();
    var rows = new ArrayList<List<@Nullable String>>();
    var error = new HashMap<Character, String>();
    while (true) {
      int kind = in.readUnsignedByte();
      var body = new byte[in.readInt() - 4];
      in.readFully(body);
      var fields = new Fields(body);
      switch (kind) {
        case 'T' -> columns.addAll(fields.columns());
        case 'D' -> rows.add(fields.row());
        case 'E' -> fields.error(error);
        case 'G' -> send('f', "no data".getBytes(StandardCharsets.UTF_8));
        case 'Z' -> {
          return new Reply(columns, rows, error);
        }
        default -> {}
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Reads the body of one message. */
  private static final class Fields {
    private final byte[] body;
    private int at;

    Fields(byte[] body) {
      this.body = body;
    }

    private int int2() {
      at += 2;
      return body[at - 2] << 8 | body[at - 1] & 0xff;
    }

    private int int4() {
      return int2() << 16 | int2() & 0xffff;
    }

    private String text(int length) {
      at += length;
      return new String(body, at - length, length, StandardCharsets.UTF_8);
    }

    private String cString() {
      int end = at;
      while (body[end] != 0) {
        end++;
      }
      String s = text(end - at);
      at++;
      return s;
    }

    List<Column> columns() {
      var out = new ArrayList<Column>();
      for (int n = int2(); n > 0; n--) {
        String name = cString();
        at += 6;
        int oid = int4();
        at += 2;
        int typmod = int4();
        at += 2;
        out.add(new Column(name, oid, typmod));
      }
      return out;
    }

    List<@Nullable String> row() {
      var out = new ArrayList<@Nullable String>();
      for (int n = int2(); n > 0; n--) {
        int length = int4();
        out.add(length < 0 ? null : text(length));
      }
      return out;
    }

    void error(Map<Character, String> to) {
      boolean first = to.isEmpty();
      while (body[at] != 0) {
        char field = (char) body[at++];
        String value = cString();
        if (first) {
          to.put(field, value);
        }
      }
    }
  }
}
