package io.millrace.wire.pg;

import io.millrace.common.type.io.ByteSink;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes messages as a client does. */
public final class ClientBytes {
  private final ByteSink out = new ByteSink();

  public byte[] bytes() {
    return out.toByteArray();
  }

  public ClientBytes raw(byte... bytes) {
    out.putBytes(bytes);
    return this;
  }

  public ClientBytes raw(String ascii) {
    return raw(ascii.getBytes(StandardCharsets.US_ASCII));
  }

  /** A start-up message with the given code and pairs. */
  public ClientBytes startup(int version, String... pairs) {
    int at = out.position();
    out.putInt(0);
    out.putInt(version);
    for (String s : pairs) {
      string(s);
    }
    out.put(0);
    out.setInt(at, out.position() - at);
    return this;
  }

  public ClientBytes request(int code, int... more) {
    out.putInt(8 + 4 * more.length);
    out.putInt(code);
    for (int m : more) {
      out.putInt(m);
    }
    return this;
  }

  public ClientBytes header(char kind, int length) {
    out.put(kind);
    out.putInt(length);
    return this;
  }

  public ClientBytes message(char kind, byte... body) {
    return header(kind, body.length + 4).raw(body);
  }

  private void string(String s) {
    out.putText(s);
    out.put(0);
  }

  public ClientBytes query(String sql) {
    int at = begin('Q');
    string(sql);
    return end(at);
  }

  public ClientBytes parse(String name, String sql, int... oids) {
    int at = begin('P');
    string(name);
    string(sql);
    out.putShort(oids.length);
    for (int oid : oids) {
      out.putInt(oid);
    }
    return end(at);
  }

  public ClientBytes bind(String portal, String statement, @Nullable String... values) {
    int at = begin('B');
    string(portal);
    string(statement);
    out.putShort(0);
    out.putShort(values.length);
    for (String v : values) {
      if (v == null) {
        out.putInt(-1);
      } else {
        byte[] b = v.getBytes(StandardCharsets.UTF_8);
        out.putInt(b.length);
        out.putBytes(b);
      }
    }
    out.putShort(0);
    return end(at);
  }

  public ClientBytes describe(char what, String name) {
    int at = begin('D');
    out.put(what);
    string(name);
    return end(at);
  }

  public ClientBytes execute(String portal, int maxRows) {
    int at = begin('E');
    string(portal);
    out.putInt(maxRows);
    return end(at);
  }

  public ClientBytes close(char what, String name) {
    int at = begin('C');
    out.put(what);
    string(name);
    return end(at);
  }

  public ClientBytes copyFail(String reason) {
    int at = begin('f');
    string(reason);
    return end(at);
  }

  public ClientBytes sync() {
    return message('S');
  }

  private int begin(char kind) {
    out.put(kind);
    int at = out.position();
    out.putInt(0);
    return at;
  }

  private ClientBytes end(int at) {
    out.setInt(at, out.position() - at);
    return this;
  }
}
