package io.millrace.wire.pg;

import io.millrace.common.type.io.ByteSink;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client of plain bytes over a real socket. */
final class RawClient implements AutoCloseable {
  /** A message of the server. */
  record Message(char kind, byte[] body) {
    /** The value of a field of an error or notice; empty if it has none. */
    String field(char which) {
      int at = 0;
      while (at < body.length && body[at] != 0) {
        int end = at + 1;
        while (body[end] != 0) {
          end++;
        }
        if (body[at] == which) {
          return new String(body, at + 1, end - at - 1, StandardCharsets.UTF_8);
        }
        at = end + 1;
      }
      return "";
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  final Socket socket;
  private final DataInputStream in;
  int processId;
  int secret;

  RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
  }

  static RawClient login(int port) throws IOException {
    var client = new RawClient(port);
    client.send(new ClientBytes().startup(3 << 16, "user", "me", "database", "millrace"));
    for (Message m : client.until('Z')) {
      if (m.kind == 'K') {
        client.processId = ByteSink.getInt(m.body, 0);
        client.secret = ByteSink.getInt(m.body, 4);
      }
    }
    return client;
  }

  void send(ClientBytes bytes) throws IOException {
    socket.getOutputStream().write(bytes.bytes());
    socket.getOutputStream().flush();
  }

  int readByte() throws IOException {
    return in.read();
  }

  Message read() throws IOException {
    char kind = (char) in.readUnsignedByte();
    byte[] body = new byte[in.readInt() - 4];
    in.readFully(body);
    return new Message(kind, body);
  }

  /** Messages up to and with the first of a kind. */
  List<Message> until(char kind) throws IOException {
    var all = new ArrayList<Message>();
    do {
      all.add(read());
    } while (all.getLast().kind != kind);
    return all;
  }

  /** The kinds of messages up to the first of a kind. */
  String kindsUntil(char kind) throws IOException {
    var kinds = new StringBuilder();
    for (Message m : until(kind)) {
      kinds.append(m.kind);
    }
    return kinds.toString();
  }

  /** Whether the server has closed the connection, waiting for it. */
  boolean ended() throws IOException {
    try {
      while (true) {
        int b = in.read();
        if (b < 0) {
          return true;
        }
      }
    } catch (SocketException | EOFException _) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
