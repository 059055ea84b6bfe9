package io.millrace.storage.sst.puffin;

import io.millrace.common.type.io.Json;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The Puffin format:
 *
 * <pre>
 *   "PFA1" · blobs · footer
 *   footer = "PFA1" · payload (JSON, UTF-8) · payload size (4 bytes, little-endian)
 *          · flags (4 bytes: bit 0 = payload is compressed) · "PFA1"
 *   payload = {"blobs": [{type, fields, snapshot-id, sequence-number, offset, length,
 *              compression-codec, properties}], "properties": {created-by, …}}
 * </pre>
 *
 * The ids of snapshots mean nothing here and are −1. Beyond the specification every blob has its
 * CRC32C among its properties, and the CRC32C of the whole footer is kept where the file is named.
 */
final class PuffinFormat {
  static final byte[] MAGIC = {'P', 'F', 'A', '1'};

  /** Bytes of a footer around its payload. */
  static final int AROUND = 16;

  static final String ZSTD = "zstd";

  private PuffinFormat() {}

  static byte[] payload(List<PuffinBlob> blobs, Map<String, String> properties) {
    var list = new ArrayList<Json.Value>();
    for (PuffinBlob b : blobs) {
      var m = new ArrayList<Json.Member>();
      m.add(new Json.Member("type", new Json.Str(b.type())));
      List<Json.Value> fields = b.fields().stream().map(PuffinFormat::number).toList();
      m.add(new Json.Member("fields", new Json.Arr(fields)));
      m.add(new Json.Member("snapshot-id", number(-1)));
      m.add(new Json.Member("sequence-number", number(-1)));
      m.add(new Json.Member("offset", number(b.offset())));
      m.add(new Json.Member("length", number(b.length())));
      if (b.compressed()) {
        m.add(new Json.Member("compression-codec", new Json.Str(ZSTD)));
      }
      m.add(new Json.Member("properties", object(b.properties())));
      list.add(new Json.Obj(m));
    }
    var root =
        new Json.Obj(
            List.of(
                new Json.Member("blobs", new Json.Arr(list)),
                new Json.Member("properties", object(properties))));
    return Json.text(root).getBytes(StandardCharsets.UTF_8);
  }

  private static Json.Value number(long n) {
    return new Json.Num(BigDecimal.valueOf(n));
  }

  private static Json.Value object(Map<String, String> properties) {
    var members = new ArrayList<Json.Member>();
    new TreeMap<>(properties).forEach((k, v) -> members.add(new Json.Member(k, new Json.Str(v))));
    return new Json.Obj(members);
  }

  static List<PuffinBlob> blobs(byte[] footer, int from, int length) {
    Json.Obj root = (Json.Obj) Json.parseBinary(footer, from, length);
    var out = new ArrayList<PuffinBlob>();
    for (Json.Value v : ((Json.Arr) member(root, "blobs")).items()) {
      Json.Obj o = (Json.Obj) v;
      var fields = new ArrayList<Integer>();
      ((Json.Arr) member(o, "fields")).items().forEach(f -> fields.add((int) number(f)));
      Json.Value codec = o.get("compression-codec");
      if (codec != null && !text(codec).equals(ZSTD)) {
        throw new IllegalStateException("compression " + text(codec));
      }
      var properties = new HashMap<String, String>();
      if (o.get("properties") instanceof Json.Obj p) {
        p.members().forEach(m -> properties.put(m.key(), text(m.value())));
      }
      out.add(
          new PuffinBlob(
              text(member(o, "type")),
              fields,
              number(member(o, "offset")),
              Math.toIntExact(number(member(o, "length"))),
              codec != null,
              properties));
    }
    return out;
  }

  private static Json.Value member(Json.Obj o, String key) {
    Json.Value v = o.get(key);
    if (v == null) {
      throw new IllegalStateException("footer without " + key);
    }
    return v;
  }

  private static long number(Json.Value v) {
    return ((Json.Num) v).value().longValueExact();
  }

  private static String text(Json.Value v) {
    return ((Json.Str) v).value();
  }
}
