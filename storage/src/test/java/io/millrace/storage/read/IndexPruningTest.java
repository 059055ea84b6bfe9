package io.millrace.storage.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.common.batch.Batch;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.text.TextQuery;
import io.millrace.common.text.TextTerm;
import io.millrace.common.type.ColumnSchema;
import io.millrace.common.type.SemanticType;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.TableSchema;
import io.millrace.storage.ColumnIndex;
import io.millrace.storage.ColumnPredicate;
import io.millrace.storage.ColumnPredicate.Op;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.IndexKind;
import io.millrace.storage.IndexOptions;
import io.millrace.storage.OpType;
import io.millrace.storage.Pruner;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.ScanRequest;
import io.millrace.storage.ScanStatistics;
import io.millrace.storage.sst.SideCarMeta;
import io.millrace.storage.sst.SstMeta;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What indexes spare a scan. Row i of the 122,880 has host h(i mod 100), dc d(i mod 7), time i, n =
 * i · 7919 mod 122,880 (each number once, in no order) and s, "s2x" in every 40,000th row, else s(i
 * mod 5). In key order a host's rows lie together; there are two row groups, the first with 102,400
 * rows in ten blocks, the second with 20,480 rows in two.
 */
class IndexPruningTest {
  private static final int ROWS = 122_880;
  private static final String RARE = "s2x";
  private static final List<Integer> ALL = List.of(1, 2, 3, 4, 5);

  private static TableSchema schema() {
    return new TableSchema(
        1,
        List.of(
            new ColumnSchema(1, "host", SqlType.TEXT, SemanticType.TAG, true, null),
            new ColumnSchema(2, "dc", SqlType.TEXT, SemanticType.TAG, true, null),
            new ColumnSchema(3, "ts", SqlType.TIMESTAMP, SemanticType.TIMESTAMP, false, null),
            new ColumnSchema(4, "n", SqlType.INT8, SemanticType.FIELD, true, null),
            new ColumnSchema(5, "s", SqlType.TEXT, SemanticType.FIELD, true, null)),
        List.of(1, 2),
        3);
  }

  private static TestRegion region(IndexOptions index) {
    return new TestRegion(
        schema(), TestRegion.options(RegionOptions.MergeMode.LAST_ROW, false).withIndex(index));
  }

  private static TestRegion filled(ColumnIndex... columns) {
    TestRegion r = region(new IndexOptions(true, true, List.of(columns)));
    for (int from = 0; from < ROWS; from += 10_240) {
      r.write(OpType.PUT, ALL, rows(from, from + 10_240));
    }
    r.flush(List.of(), false);
    return r;
  }

  private static Batch rows(int from, int to) {
    var host = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, to - from);
    var dc = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, to - from);
    var ts = (VectorBuilder.Longs) VectorBuilder.of(SqlType.TIMESTAMP, to - from);
    var n = (VectorBuilder.Longs) VectorBuilder.of(SqlType.INT8, to - from);
    var s = (VectorBuilder.Bytes) VectorBuilder.of(SqlType.TEXT, to - from);
    for (int i = from; i < to; i++) {
      host.append("h" + i % 100);
      dc.append("d" + i % 7);
      ts.append(i);
      n.append(i * 7919L % ROWS);
      s.append(i % 40_000 == 0 ? RARE : "s" + i % 5);
    }
    return new Batch(
        List.of(host.build(), dc.build(), ts.build(), n.build(), s.build()), to - from);
  }

  private record Answer(List<Long> times, ScanStatistics statistics) {}

  private static Answer scan(TestRegion r, ColumnPredicate... predicates) {
    return scan(r, Long.MIN_VALUE, Long.MAX_VALUE, predicates);
  }

  private static Answer scan(TestRegion r, long min, long max, ColumnPredicate... predicates) {
    return scan(r.reads, r, min, max, predicates);
  }

  private static Answer scan(
      RegionReads reads, TestRegion r, long min, long max, ColumnPredicate... predicates) {
    var request =
        new ScanRequest(
            TestRegion.ID,
            List.of(3),
            List.of(predicates),
            min,
            max,
            -1,
            ScanRequest.Order.ANY,
            0,
            null,
            ScanRequest.RowSelector.ALL,
            false,
            1);
    var times = new ArrayList<Long>();
    try (var s = reads.scan(r.version(), r.sequence, request);
        var p = s.open(0)) {
      for (Batch b = p.next(); b != null; b = p.next()) {
        for (int i = 0; i < b.rows(); i++) {
          times.add(((LongVector) b.column(0)).get(i));
        }
      }
      times.sort(null);
      return new Answer(times, s.statistics());
    }
  }

  private static ColumnPredicate compare(int id, Op op, SqlType type, Object value) {
    return new ColumnPredicate.Compare(id, op, TestRegion.vector(type, value));
  }

  @Test
  void anInvertedIndexLeavesExactlyTheRowsOfAValue() {
    try (TestRegion r = filled(ColumnIndex.of(5, IndexKind.INVERTED))) {
      Answer a = scan(r, compare(5, Op.EQ, SqlType.TEXT, RARE));
      assertThat(a.times).containsExactly(0L, 40_000L, 80_000L, 120_000L);
      assertThat(a.statistics.rowsRead()).isEqualTo(4);
      assertThat(a.statistics.prunedBy(Pruner.INVERTED).rows()).isEqualTo(ROWS - 4);
    }
  }

  /** Series are the 700 remainders of i, so the last of each are the last 700 rows. */
  private static long lastRows(TestRegion r) {
    var request =
        new ScanRequest(
            TestRegion.ID,
            List.of(3, 4, 5, 1, 2),
            List.of(),
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            -1,
            ScanRequest.Order.ANY,
            0,
            null,
            ScanRequest.RowSelector.LAST_ROW,
            false,
            1);
    var times = new ArrayList<Long>();
    try (var scanner = r.reads.scan(r.version(), r.sequence, request);
        var p = scanner.open(0)) {
      for (Batch b = p.next(); b != null; b = p.next()) {
        for (int i = 0; i < b.rows(); i++) {
          long t = ((LongVector) b.column(0)).get(i);
          times.add(t);
          assertThat(Model.value(b.column(1), i)).isEqualTo(t * 7919 % ROWS);
          assertThat(Model.value(b.column(2), i)).isEqualTo("s" + t % 5);
          assertThat(Model.value(b.column(3), i)).isEqualTo("h" + t % 100);
          assertThat(Model.value(b.column(4), i)).isEqualTo("d" + t % 7);
        }
      }
      times.sort(null);
      assertThat(times).hasSize(700).startsWith(ROWS - 700L).endsWith(ROWS - 1L);
      return scanner.statistics().pages();
    }
  }

  @Test
  void lastRowsAreToldBesideTheFile() {
    try (TestRegion r = filled()) {
      assertThat(lastRows(r)).isZero();
    }
    try (TestRegion r = region(new IndexOptions(false, false, List.of()))) {
      for (int from = 0; from < ROWS; from += 10_240) {
        r.write(OpType.PUT, ALL, rows(from, from + 10_240));
      }
      r.flush(List.of(), false);
      assertThat(r.files().getFirst().index()).isNull();
      assertThat(lastRows(r)).isGreaterThan(12 * 3);
    }
  }

  @Test
  void predicatesOnSeveralIndexesAreTakenTogether() {
    try (TestRegion r = filled(ColumnIndex.of(5, IndexKind.INVERTED))) {
      ColumnPredicate rare = compare(5, Op.EQ, SqlType.TEXT, RARE);
      ColumnPredicate d2 = compare(2, Op.EQ, SqlType.TEXT, "d2");
      Answer a = scan(r, rare, d2);
      // 40,000 mod 7 = 2, 80,000 mod 7 = 4, 120,000 mod 7 = 6.
      assertThat(a.times).containsExactly(40_000L);
      assertThat(a.statistics.rowsRead()).isEqualTo(1);
    }
  }

  @Test
  void trailingTagsHaveAnInvertedIndexUnasked() {
    try (TestRegion r = filled()) {
      assertThat(requireNonNull(r.files().getFirst().index()).parts())
          .extracting(SideCarMeta.Part::kind, SideCarMeta.Part::columnId)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple(IndexKind.KEY_BLOOM, 0),
              org.assertj.core.groups.Tuple.tuple(IndexKind.INVERTED, 2));
      Answer a = scan(r, compare(2, Op.EQ, SqlType.TEXT, "d3"));
      assertThat(a.times).hasSize((ROWS + 3) / 7);
      assertThat(a.statistics.rowsRead()).isEqualTo(a.times.size());
      assertThat(scan(r, compare(2, Op.EQ, SqlType.TEXT, "d9")).statistics.rowsRead()).isZero();
    }
  }

  @Test
  void rangesOfAnInvertedIndexAreExact() {
    try (TestRegion r = filled(ColumnIndex.of(4, IndexKind.INVERTED))) {
      for (Op op : Op.values()) {
        Answer a = scan(r, compare(4, op, SqlType.INT8, 10));
        int expected =
            switch (op) {
              case EQ -> 1;
              case NE -> ROWS - 1;
              case LT -> 10;
              case LE -> 11;
              case GT -> ROWS - 11;
              case GE -> ROWS - 10;
            };
        assertThat(a.times).as(op.name()).hasSize(expected);
        if (expected <= 11) {
          assertThat(a.statistics.rowsRead()).as(op.name()).isEqualTo(expected);
        }
      }
    }
  }

  /** One in a hundred of the other filters may say yes too: of twelve at most two more do. */
  @Test
  void aSkippingIndexLeavesTheStretchesThatMayHaveTheValue() {
    try (TestRegion r = filled(ColumnIndex.of(4, IndexKind.SKIPPING))) {
      Answer a = scan(r, compare(4, Op.EQ, SqlType.INT8, 77));
      assertThat(a.times).hasSize(1);
      assertThat(a.statistics.rowsRead()).isBetween(10_240L, 3 * 10_240L);
      assertThat(a.statistics.prunedBy(Pruner.SKIPPING).pages()).isBetween(9, 11);
    }
  }

  @Test
  void aFinerGrainReadsFewerRows() {
    try (TestRegion r = filled(new ColumnIndex(4, IndexKind.SKIPPING, 512, 0.001, false))) {
      Answer a = scan(r, compare(4, Op.EQ, SqlType.INT8, 77));
      assertThat(a.times).hasSize(1);
      assertThat(a.statistics.rowsRead()).isBetween(512L, 4 * 512L);
    }
  }

  /** Half of the time indexes 0 to 99 with host and dc that do not belong together. */
  @Test
  void theKeyBloomSparesTheRowGroupOfAKeyThatIsNotThere() {
    try (TestRegion r = filled()) {
      int ruledOut = 0;
      for (long t = 0; t < 100; t++) {
        Answer a =
            scan(
                r,
                t,
                t,
                compare(1, Op.EQ, SqlType.TEXT, "h" + t),
                compare(2, Op.EQ, SqlType.TEXT, "d" + t % 7));
        assertThat(a.times).containsExactly(t);
        Answer no =
            scan(
                r,
                t,
                t,
                compare(1, Op.EQ, SqlType.TEXT, "h" + (t + 1) % 100),
                compare(2, Op.EQ, SqlType.TEXT, "d" + t % 7));
        assertThat(no.times).isEmpty();
        ruledOut += no.statistics.prunedBy(Pruner.KEY_BLOOM).rowGroups();
      }
      assertThat(ruledOut).isGreaterThan(90);
    }
  }

  /** "S2X nosuch" is the word s2x without regard to case, or one that no row has. */
  @Test
  void aFullTextIndexLeavesTheRowsThatHaveTheWords() {
    for (boolean caseSensitive : new boolean[] {false, true}) {
      var index = new ColumnIndex(5, IndexKind.FULLTEXT, 1, 0.01, caseSensitive);
      try (TestRegion r = filled(index)) {
        Answer a = scan(r, new ColumnPredicate.Text(5, TextQuery.parse("S2X nosuch")));
        assertThat(a.times).containsExactly(0L, 40_000L, 80_000L, 120_000L);
        assertThat(a.statistics.rowsRead()).isEqualTo(4);
        assertThat(a.statistics.prunedBy(Pruner.FULLTEXT).rows()).isEqualTo(ROWS - 4);
        Answer term = scan(r, new ColumnPredicate.Text(5, new TextTerm(RARE)));
        assertThat(term.times).isEqualTo(a.times);
        assertThat(term.statistics.rowsRead()).isEqualTo(4);
        Answer other = scan(r, new ColumnPredicate.Text(5, new TextTerm("S2X")));
        assertThat(other.times).isEmpty();
        assertThat(other.statistics.rowsRead()).isEqualTo(caseSensitive ? 0 : 4);
        Answer not = scan(r, new ColumnPredicate.Text(5, TextQuery.parse("-s0 -s1 -s3 -s4 -s2")));
        assertThat(not.times).isEqualTo(a.times);
      }
    }
  }

  /**
   * The newer version of row 0 no longer has "s2x": an index that ruled out the newer row before
   * the merge would bring the old one back.
   */
  @Test
  void fieldsOfContestedRowsAreNotRuledOutBeforeTheMerge() {
    for (RegionOptions.MergeMode mode : RegionOptions.MergeMode.values()) {
      var index = new IndexOptions(false, true, List.of(ColumnIndex.of(5, IndexKind.INVERTED)));
      try (var r = new TestRegion(schema(), TestRegion.options(mode, false).withIndex(index))) {
        r.write(OpType.PUT, ALL, rows(0, 20));
        r.flush(List.of(), false);
        Batch again = rows(0, 20);
        var columns = new ArrayList<Vector>(again.columns());
        columns.set(
            4, TestRegion.vector(SqlType.TEXT, java.util.Collections.nCopies(20, "x").toArray()));
        r.write(OpType.PUT, ALL, new Batch(columns, 20));
        r.flush(List.of(), false);
        assertThat(r.files()).hasSize(2);
        assertThat(scan(r, compare(5, Op.EQ, SqlType.TEXT, RARE)).times).isEmpty();
        assertThat(scan(r, compare(5, Op.EQ, SqlType.TEXT, "x")).times).hasSize(20);
      }
    }
  }

  /** The file has no column 6; its rows have the default, which the index of later files has. */
  @Test
  void rowsOlderThanAColumnHaveItsDefaultWhateverItsIndexSays() {
    var index = new IndexOptions(false, true, List.of(ColumnIndex.of(6, IndexKind.INVERTED)));
    try (TestRegion r = region(index)) {
      r.write(OpType.PUT, ALL, rows(0, 100));
      r.flush(List.of(), false);
      TableSchema s = r.schema;
      var columns = new ArrayList<>(s.columns());
      columns.add(new ColumnSchema(6, "c", SqlType.INT4, SemanticType.FIELD, true, "5"));
      r.schema = new TableSchema(2, columns, s.tagIds(), s.timeIndexId());
      r.freeze();
      Batch more = rows(100, 200);
      var all = new ArrayList<Vector>(more.columns());
      all.add(TestRegion.vector(SqlType.INT4, java.util.Collections.nCopies(100, 6).toArray()));
      r.write(OpType.PUT, List.of(1, 2, 3, 4, 5, 6), new Batch(all, 100));
      r.flush(List.of(), false);
      assertThat(scan(r, compare(6, Op.EQ, SqlType.INT4, 5)).times).hasSize(100);
      Answer six = scan(r, compare(6, Op.EQ, SqlType.INT4, 6));
      assertThat(six.times).hasSize(100);
      assertThat(scan(r, compare(6, Op.EQ, SqlType.INT4, 7)).times).isEmpty();
    }
  }

  @Test
  void withoutItsSideCarAScanGivesTheSameRowsAndSaysSo() {
    try (TestRegion r = filled(ColumnIndex.of(5, IndexKind.INVERTED))) {
      SstMeta file = r.files().getFirst();
      String name = requireNonNull(file.index()).name(file.fileId());
      byte[] good = requireNonNull(r.store.files.get(name));
      ColumnPredicate rare = compare(5, Op.EQ, SqlType.TEXT, RARE);
      for (int i = 4; i < good.length; i += good.length / 7) {
        byte[] bad = good.clone();
        bad[i] ^= 0x40;
        r.store.files.put(name, bad);
        try (RegionReads fresh = RegionReads.create(r.store, EngineConfig.DEFAULT)) {
          Answer a = scan(fresh, r, Long.MIN_VALUE, Long.MAX_VALUE, rare);
          assertThat(a.times).containsExactly(0L, 40_000L, 80_000L, 120_000L);
        }
      }
      r.store.files.remove(name);
      Answer a = scan(r, rare);
      assertThat(a.times).containsExactly(0L, 40_000L, 80_000L, 120_000L);
      assertThat(a.statistics.indexFailures()).isEqualTo(1);
      assertThat(a.statistics.rowsRead()).isEqualTo(ROWS);
    }
  }
}
