package io.millrace.storage.read;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.DoubleVector;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.storage.OpType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullUnmarked;

/** Versions by key, oldest first, and what a reader sees of them. */
@NullUnmarked // rows hold nulls
final class Model {
  static final List<Integer> ALL = List.of(1, 2, 3, 4, 5);

  record Key(String host, long time) {}

  static final Comparator<Key> ORDER =
      Comparator.comparing(Key::host, Comparator.nullsLast(Comparator.naturalOrder()))
          .thenComparingLong(Key::time);

  record Write(long sequence, OpType op, Map<Integer, Object> given) {}

  final TreeMap<Key, List<Write>> keys = new TreeMap<>(ORDER);
  final boolean lastRow;
  final boolean append;

  Model(boolean lastRow, boolean append) {
    this.lastRow = lastRow;
    this.append = append;
  }

  void add(Key k, Write w) {
    keys.computeIfAbsent(k, x -> new ArrayList<>()).add(w);
  }

  Map<Integer, Object> visible(Key k, long at) {
    Map<Integer, Object> row = null;
    for (Write w : keys.getOrDefault(k, List.of())) {
      if (w.sequence > at) {
        continue;
      }
      switch (w.op) {
        case DELETE -> row = null;
        case REPLACE -> row = new HashMap<>(w.given);
        case PUT -> {
          if (lastRow || row == null) {
            row = new HashMap<>(w.given);
          } else {
            Map<Integer, Object> r = row;
            w.given.forEach(
                (c, v) -> {
                  if (v != null) {
                    r.put(c, v);
                  }
                });
          }
        }
        case CLEAR -> {
          if (row != null) {
            Map<Integer, Object> r = row;
            w.given.keySet().forEach(c -> r.put(c, null));
          }
        }
      }
    }
    return row;
  }

  List<List<Object>> rows(long at) {
    var out = new ArrayList<List<Object>>();
    for (Key k : keys.keySet()) {
      if (append) {
        for (Write w : keys.get(k)) {
          if (w.sequence <= at) {
            out.add(row(k, w.given));
          }
        }
        continue;
      }
      Map<Integer, Object> r = visible(k, at);
      if (r != null) {
        out.add(row(k, r));
      }
    }
    return out;
  }

  static List<Object> row(Key k, Map<Integer, Object> r) {
    var out = new ArrayList<Object>();
    out.add(k.host);
    out.add(k.time);
    out.add(r.get(3));
    out.add(r.get(4));
    out.add(r.get(5));
    return out;
  }

  static Object value(Vector v, int row) {
    if (v.isNull(row)) {
      return null;
    }
    return switch (v) {
      case LongVector x -> x.get(row);
      case DoubleVector x -> x.get(row);
      case BytesColumn x -> x.string(row);
      default -> throw new IllegalStateException();
    };
  }

  static void write(
      Random random, TestRegion region, Model model, int hosts, int times, boolean append) {
    OpType op = append || random.nextInt(3) > 0 ? OpType.PUT : OpType.values()[random.nextInt(4)];
    int n = 1 + random.nextInt(30);
    boolean rising = random.nextInt(3) > 0;
    List<Integer> ids = new ArrayList<>(ALL);
    if (op == OpType.CLEAR || (op == OpType.PUT && random.nextBoolean())) {
      ids.removeIf(c -> c > 2 && random.nextBoolean());
    }
    if (op == OpType.DELETE) {
      ids = new ArrayList<>(List.of(1, 2));
    }
    var builders = new ArrayList<VectorBuilder>();
    for (int id : ids) {
      SqlType t = Objects.requireNonNull(region.schema.byId(id)).type();
      builders.add(VectorBuilder.of(t, n));
    }
    for (int i = 0; i < n; i++) {
      int h = random.nextInt(hosts);
      long time = rising ? region.sequence / 3 + i / 3 : random.nextInt(times);
      var key = new Key(h == 0 ? null : "host" + h, time);
      var given = new HashMap<Integer, Object>();
      for (int c = 0; c < ids.size(); c++) {
        Object v =
            switch (ids.get(c)) {
              case 1 -> key.host;
              case 2 -> key.time;
              case 3 -> random.nextInt(4) == 0 ? null : (double) random.nextInt(20);
              case 4 -> random.nextInt(4) == 0 ? null : (long) random.nextInt(1000);
              default -> random.nextInt(4) == 0 ? null : "s" + random.nextInt(5);
            };
        TestRegion.append(builders.get(c), v);
        if (ids.get(c) > 2) {
          given.put(ids.get(c), v);
        }
      }
      model.add(key, new Write(region.sequence + 1 + i, op, given));
    }
    region.write(op, ids, new Batch(builders.stream().map(VectorBuilder::build).toList(), n));
  }
}
