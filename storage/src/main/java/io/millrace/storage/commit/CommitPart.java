package io.millrace.storage.commit;

import io.millrace.storage.RangeDelete;
import io.millrace.storage.RegionWrite;
import io.millrace.storage.Truncation;
import io.millrace.storage.WriteGroup.Precondition;
import io.millrace.storage.codec.ByteWriter;
import io.millrace.storage.region.Region;
import io.millrace.storage.sst.Rectangle;
import io.millrace.storage.sst.SstMeta;
import io.millrace.storage.sst.StagedFile;
import io.millrace.storage.wal.LogPart;
import io.millrace.storage.wal.PayloadCodec;
import java.util.List;
import java.util.Objects;

/**
 * One region's share of a commit on its way. Made by the caller; row ids by the worker, sequences
 * by the log writer.
 */
public final class CommitPart {
  private final Region region;
  private final LogPart.Kind kind;
  private final List<RegionWrite> writes;
  private final List<ByteWriter> payloads;
  private final List<Precondition> conditions;
  private final List<StagedFile> staged;
  private final long bytes;
  private final int rows;
  private final long[] rowIds;
  private final long floor;
  private long firstSequence;

  /** Rows that were written ahead. */
  static CommitPart staged(Region region, List<StagedFile> files) {
    List<SstMeta> metas = files.stream().map(StagedFile::meta).filter(Objects::nonNull).toList();
    return new CommitPart(region, PayloadCodec.encodeStaged(metas), files);
  }

  /**
   * Range deletes.
   *
   * @param before sequences that the commit takes in the region before them
   */
  static CommitPart ranges(Region region, List<RangeDelete> ranges, long before) {
    return new CommitPart(region, PayloadCodec.encodeRanges(ranges, before), ranges.size());
  }

  private CommitPart(Region region, ByteWriter payload, int ranges) {
    this.region = region;
    this.kind = LogPart.Kind.RANGE;
    this.writes = List.of();
    this.payloads = List.of(payload);
    this.conditions = List.of();
    this.staged = List.of();
    this.bytes = 0;
    this.floor = 0;
    this.rows = ranges;
    this.rowIds = new long[0];
  }

  private CommitPart(Region region, ByteWriter payload, List<StagedFile> files) {
    this.region = region;
    this.kind = LogPart.Kind.STAGED;
    this.writes = List.of();
    this.payloads = List.of(payload);
    this.conditions = List.of();
    this.staged = List.copyOf(files);
    this.bytes = 0;
    this.rows = files.size();
    this.rowIds = new long[0];
    this.floor = 0;
  }

  /**
   * Files that come or go, or a sequence that rises.
   *
   * @param count sequences that it takes
   * @param floor the first one is this at least
   */
  static CommitPart edit(Region region, ByteWriter payload, int count, long floor) {
    return new CommitPart(region, payload, count, floor);
  }

  private CommitPart(Region region, ByteWriter payload, int count, long floor) {
    this.region = region;
    this.kind = LogPart.Kind.EDIT;
    this.writes = List.of();
    this.payloads = List.of(payload);
    this.conditions = List.of();
    this.staged = List.of();
    this.bytes = 0;
    this.rows = count;
    this.rowIds = new long[0];
    this.floor = floor;
  }

  CommitPart(
      Region region,
      LogPart.Kind kind,
      List<RegionWrite> writes,
      List<ByteWriter> payloads,
      List<Precondition> conditions) {
    this.region = region;
    this.kind = kind;
    this.writes = List.copyOf(writes);
    this.payloads = List.copyOf(payloads);
    this.conditions = List.copyOf(conditions);
    this.staged = List.of();
    long n = 0;
    int count = kind == LogPart.Kind.WRITE ? 0 : 1;
    for (RegionWrite w : writes) {
      n += w.memoryBytes();
      count = Math.addExact(count, w.rows().rows());
    }
    this.bytes = n;
    this.rows = count;
    this.rowIds = new long[writes.size()];
    this.floor = 0;
  }

  public Region region() {
    return region;
  }

  public LogPart.Kind kind() {
    return kind;
  }

  public List<RegionWrite> writes() {
    return writes;
  }

  public List<Precondition> conditions() {
    return conditions;
  }

  /** Files with rows that were written ahead. */
  public List<StagedFile> staged() {
    return staged;
  }

  /** The same as the manifest will have them. */
  public List<SstMeta> stagedFiles() {
    return PayloadCodec.decodeStaged(event());
  }

  /** The range deletes of a RANGE part. */
  public List<Rectangle> ranges() {
    return PayloadCodec.decodeRanges(event());
  }

  /** Bytes that its rows will take in memory, about. */
  public long bytes() {
    return bytes;
  }

  /** Sequences that it takes. */
  int rows() {
    return rows;
  }

  public void setRowId(int write, long first) {
    rowIds[write] = first;
  }

  /** First row id of a write; {@link LogPart#NO_ROW_ID} if its rows bring their time index. */
  public long rowId(int write) {
    return rowIds[write];
  }

  /** Its first sequence is this at least. */
  long floor() {
    return floor;
  }

  public long firstSequence() {
    return firstSequence;
  }

  void setFirstSequence(long first) {
    firstSequence = first;
  }

  public long lastSequence() {
    return firstSequence + rows - 1;
  }

  boolean logged() {
    boolean rows = kind == LogPart.Kind.WRITE || kind == LogPart.Kind.RANGE;
    return !rows || !region.options().skipWal();
  }

  /** What an ALTER part changes to. */
  public PayloadCodec.Altered altered() {
    return PayloadCodec.decodeAlter(event());
  }

  /** What a TRUNCATE part takes away. */
  public Truncation truncation() {
    return PayloadCodec.decodeTruncate(event());
  }

  /** What an EDIT part does. */
  public PayloadCodec.Edited edited() {
    return PayloadCodec.decodeEdit(event());
  }

  /** The bound of an EXPIRE part. */
  public long expiredBelow() {
    return PayloadCodec.decodeExpire(event());
  }

  private LogPart event() {
    ByteWriter p = payloads.getFirst();
    int version = region.schema().version();
    return new LogPart(
        region.id(), firstSequence, rows, version, kind, LogPart.NO_ROW_ID, p.array(), p.size());
  }

  /** Bytes in a log record. */
  long logBytes() {
    long n = 0;
    if (logged()) {
      for (ByteWriter p : payloads) {
        n += LogPart.HEADER + p.size();
      }
    }
    return n;
  }

  /** Adds what the log keeps of it. */
  void toLog(List<LogPart> out) {
    if (!logged()) {
      return;
    }
    long at = firstSequence;
    for (int i = 0; i < payloads.size(); i++) {
      boolean write = kind == LogPart.Kind.WRITE;
      int n = write ? writes.get(i).rows().rows() : rows;
      int schemaVersion = write ? writes.get(i).schemaVersion() : region.schema().version();
      long rowId = write ? rowIds[i] : LogPart.NO_ROW_ID;
      ByteWriter p = payloads.get(i);
      out.add(new LogPart(region.id(), at, n, schemaVersion, kind, rowId, p.array(), p.size()));
      at += n;
    }
  }
}
