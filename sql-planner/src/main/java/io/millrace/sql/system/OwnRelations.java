package io.millrace.sql.system;

import static io.millrace.sql.system.Part.Key.NAME;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.TypeKind;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.partition.PartitionRule;
import io.millrace.storage.IndexInfo;
import io.millrace.storage.IndexKind;
import io.millrace.storage.RegionInfo;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.RegionRole;
import io.millrace.storage.RegionStatistics;
import io.millrace.storage.SstInfo;
import io.millrace.storage.StoredSst;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What information_schema has beside the standard's views: flows, regions, the server itself. */
final class OwnRelations {
  private OwnRelations() {}

  static List<Resources.Shape> shapes() {
    return List.of(
        shape(
            13990,
            "flows",
            "flow_name:text,flow_id:int8,state_size:int8,table_catalog:text,flow_definition:text,"
                + "raw_sql:text,comment:text,expire_after:int8,eval_interval:int8,"
                + "source_table_ids:text,source_table_names:text,sink_table_name:text,"
                + "flownode_ids:text,options:text,created_time:timestamp,updated_time:timestamp,"
                + "last_execution_time:timestamp"),
        shape(
            13991,
            "flow_statistics",
            "flow_id:int8,flow_name:text,engine:text,state:text,start_time:timestamp,"
                + "last_execution_time:timestamp,last_execution_duration_ms:float8,"
                + "evaluations:int8,rows_in:int8,rows_out:int8,rows_expired:int8,"
                + "dirty_ranges:int8,lag_ms:float8,checkpoint:text,state_bytes:int8,"
                + "oldest_hold:int8,errors:int8,last_error:text"),
        shape(
            13992,
            "region_statistics",
            "region_id:int8,table_id:int8,region_number:int8,region_rows:int8,"
                + "written_bytes_since_open:int8,disk_size:int8,memtable_size:int8,"
                + "manifest_size:int8,sst_size:int8,sst_num:int8,index_size:int8,engine:text,"
                + "region_role:text,table_schema:text,table_name:text,memtable_rows:int8,"
                + "memtable_series:int8,log_size:int8,written_sequence:int8,"
                + "flushed_sequence:int8,flushed_position:int8,incarnation:int8"),
        shape(
            13998,
            "ssts_storage",
            "file_path:text,file_size:int8,last_modified_ms:timestamp,node_id:int8,"
                + "region_id:int8,table_id:int8"),
        shape(
            13993, "build_info", "pkg_version:text,java_version:text,os:text,server_version:text"),
        shape(
            13994,
            "process_list",
            "id:text,catalog:text,schemas:text,query:text,client:text,frontend:text,"
                + "start_timestamp:timestamp,elapsed_time:interval"),
        shape(
            13995,
            "partitions",
            "table_catalog:text,table_schema:text,table_name:text,partition_name:text,"
                + "subpartition_name:text,partition_ordinal_position:int8,"
                + "partition_expression:text,partition_description:text,table_rows:int8,"
                + "data_length:int8,create_time:timestamp,partition_comment:text,"
                + "greptime_partition_id:int8"),
        shape(
            13996,
            "region_peers",
            "table_catalog:text,table_schema:text,table_name:text,region_id:int8,peer_id:int8,"
                + "peer_addr:text,is_leader:text,status:text,down_seconds:int8"),
        shape(
            13997,
            "ssts_manifest",
            "table_catalog:text,table_schema:text,table_name:text,region_id:int8,table_id:int8,"
                + "region_number:int8,file_id:text,file_path:text,file_size:int8,num_rows:int8,"
                + "num_row_groups:int8,min_ts:timestamp,max_ts:timestamp,min_sequence:int8,"
                + "sequence:int8,multi_version:bool,tombstones:bool"),
        shape(
            13999,
            "ssts_index_meta",
            "table_dir:text,index_file_path:text,region_id:int8,table_id:int8,"
                + "region_number:int8,region_group:int8,region_sequence:int8,file_id:text,"
                + "index_file_size:int8,index_type:text,target_type:text,target_key:text,"
                + "target_json:text,blob_size:int8,meta_json:text,node_id:int8"),
        shape(14002, "numbers", "number:int4"),
        shape(
            14000,
            "procedure_info",
            "procedure_id:text,procedure_type:text,start_time:timestamp,end_time:timestamp,"
                + "status:text,lock_keys:text"),
        shape(
            14001,
            "cluster_info",
            "peer_id:int8,peer_type:text,peer_addr:text,peer_hostname:text,version:text,"
                + "git_commit:text,start_time:timestamp,uptime:text,active_time:text,"
                + "node_status:text"));
  }

  private static Resources.Shape shape(int oid, String name, String columns) {
    return Resources.shape(oid, "information_schema", name, 'v', columns);
  }

  static void parts(Map<String, List<Part>> to) {
    var p = new Parts(to, "information_schema");
    p.fresh("flows", OwnRelations::flows);
    p.fresh("flow_statistics", OwnRelations::flowStatistics);
    p.figures("region_statistics", Map.of("table_name", NAME), OwnRelations::regions);
    p.fixed(
        "build_info",
        (c, out) ->
            out.row(
                Sql.millraceVersion(),
                Runtime.version().toString(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Sql.version()));
    p.fixed(
        "numbers",
        (_, out) -> {
          for (int i = 0; i < 100; i++) {
            out.row(i);
          }
        });
    p.fresh("process_list", OwnRelations::processes);
    p.fixed("procedure_info", (_, _) -> {}); // changes of tables take effect at once or not at all
    p.fresh("cluster_info", OwnRelations::cluster);
    p.figures("partitions", Map.of("table_name", NAME), OwnRelations::partitions);
    p.figures("region_peers", Map.of("table_name", NAME), OwnRelations::peers);
    p.fresh("ssts_storage", OwnRelations::stored);
    p.figures("ssts_manifest", Map.of("table_name", NAME), OwnRelations::files);
    p.figures("ssts_index_meta", Map.of(), OwnRelations::indexes);
  }

  private static @Nullable Long seconds(OptionalLong micros) {
    return micros.isPresent() ? (Long) (micros.getAsLong() / 1_000_000) : null;
  }

  private static @Nullable Long time(long micros) {
    return micros == 0 ? null : (Long) micros;
  }

  private static void flows(ScanContext c, RowSink out) {
    var states = new HashMap<Integer, SystemSources.FlowState>();
    c.sources().flows().forEach(s -> states.put(s.id().value(), s));
    for (FlowInfo f : c.catalog().flows()) {
      SystemSources.FlowState s = states.get(f.id().value());
      out.row(
          f.name(),
          (long) f.id().value(),
          s == null ? null : (Long) s.stateBytes(),
          f.database().equals(c.view().database()) ? c.view().alias() : f.database(),
          f.query(),
          f.rawSql(),
          f.comment().orElse(null),
          seconds(f.expireAfterMicros()),
          seconds(f.evalIntervalMicros()),
          f.sources().stream().map(x -> x.value()).toList().toString(),
          String.join(",", f.sourceNames()),
          f.sinkDatabase() + "." + f.sinkSchema() + "." + f.sinkTable(),
          "{}",
          json(f.options()),
          f.createdMicros(),
          f.updatedMicros(),
          s == null ? null : time(s.lastExecutionMicros()));
    }
  }

  /** Options as a JSON object of texts. */
  private static String json(Map<String, String> options) {
    return options.entrySet().stream()
        .map(e -> quoted(e.getKey()) + ":" + quoted(e.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String quoted(String s) {
    return '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static void flowStatistics(ScanContext c, RowSink out) {
    for (SystemSources.FlowState s : c.sources().flows()) {
      out.row(
          (long) s.id().value(),
          c.catalog().flow(s.id()).map(FlowInfo::name).orElse(null),
          s.engine(),
          s.state(),
          time(s.startMicros()),
          time(s.lastExecutionMicros()),
          s.lastExecutionDurationMicros() / 1000.0,
          s.evaluations(),
          s.rowsIn(),
          s.rowsOut(),
          s.rowsExpired(),
          (long) s.dirtyRanges(),
          s.lagMicros() / 1000.0,
          s.checkpoint(),
          s.stateBytes(),
          s.oldestHold().orElse(null),
          s.errors(),
          s.lastError().orElse(null));
    }
  }

  private static void regions(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    for (RegionStatistics i : c.statistics(t)) {
      out.row(
          i.region().value(),
          (long) t.id().value(),
          (long) t.regions().indexOf(i.region()),
          i.rows(),
          i.writtenBytes(),
          i.diskBytes(),
          i.memtableBytes(),
          i.manifestBytes(),
          i.fileBytes(),
          (long) i.files(),
          i.indexBytes(),
          "mito",
          i.role() == RegionRole.LEADER ? "Leader" : "Follower",
          t.schema(),
          t.name(),
          i.memtableRows(),
          i.series(),
          i.logBytes(),
          i.committedSequence(),
          i.flushedSequence(),
          i.flushedPosition(),
          i.incarnation());
    }
  }

  /** All files that lie in the regions' folders, whoever needs them. */
  private static void stored(ScanContext c, RowSink out) {
    for (StoredSst f : c.engine().storedFiles()) {
      out.row(
          f.path(),
          f.bytes(),
          f.modifiedMillis() * 1000,
          0L,
          f.region().value(),
          f.region().value() >>> 32);
    }
  }

  /** One node leads all regions. */
  private static void peers(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    for (RegionInfo i : c.regions(t)) {
      out.row(
          c.view().alias(), t.schema(), t.name(), i.id().value(), 0L, null, "Yes", "ALIVE", null);
    }
  }

  private static void files(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    boolean timed = t.regionOptions().keyMode() == RegionOptions.KeyMode.TIME_INDEX;
    SqlType type = t.storage().timeIndex().type();
    for (SstInfo f : c.files(t)) {
      out.row(
          c.view().alias(),
          t.schema(),
          t.name(),
          f.region().value(),
          (long) t.id().value(),
          (long) t.regions().indexOf(f.region()),
          f.fileId(),
          f.path(),
          f.bytes(),
          f.rows(),
          (long) f.rowGroups(),
          timed ? (Long) micros(type, f.minTime()) : null,
          timed ? (Long) micros(type, f.maxTime()) : null,
          f.minSequence(),
          f.maxSequence(),
          f.multiVersion(),
          f.tombstones());
    }
  }

  /** One row per index of a file; the numbers of regions are as GreptimeDB splits them. */
  private static void indexes(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    for (IndexInfo x : c.indexes(t)) {
      boolean keys = x.kind() == IndexKind.KEY_BLOOM;
      out.row(
          x.path().substring(0, x.path().lastIndexOf('/') + 1),
          x.path(),
          x.region().value(),
          (long) t.id().value(),
          x.region().value() & 0xffff_ffffL,
          x.region().value() >>> 24 & 0xff,
          x.region().value() & 0xff_ffffL,
          x.fileId(),
          x.fileBytes(),
          switch (x.kind()) {
            case KEY_BLOOM -> "key_bloom";
            case INVERTED -> "inverted";
            case SKIPPING -> "bloom_filter";
            case FULLTEXT -> "fulltext_lucene";
          },
          keys ? "key" : "column",
          keys ? "key" : Integer.toString(x.columnId()),
          keys ? "{\"key\": true}" : "{\"column\": " + x.columnId() + "}",
          x.bytes(),
          "{\"bytes\": " + x.bytes() + "}",
          0L);
    }
  }

  private static long micros(SqlType type, long time) {
    return type.kind() == TypeKind.TIMESTAMP_NS ? Math.floorDiv(time, 1000) : time;
  }

  private static void processes(ScanContext c, RowSink out) {
    for (SystemSources.Session s : c.sources().sessions()) {
      out.row(
          Integer.toString(s.processId()),
          s.database(),
          "public",
          s.query(),
          s.clientAddress() == null ? null : s.clientAddress() + ":" + s.clientPort(),
          null,
          time(s.queryStart()),
          null);
    }
  }

  /** The one node that there is. */
  private static void cluster(ScanContext c, RowSink out) {
    RuntimeMXBean process = ManagementFactory.getRuntimeMXBean();
    out.row(
        0L,
        "STANDALONE",
        "",
        null,
        Sql.millraceVersion(),
        null,
        process.getStartTime() * 1000,
        Duration.ofSeconds(process.getUptime() / 1000)
            .toString()
            .substring(2)
            .toLowerCase(Locale.ROOT),
        null,
        null);
  }

  private static void partitions(ScanContext c, Rel r, RowSink out) {
    TableInfo t = r.table();
    if (t == null) {
      return;
    }
    PartitionRule rule = t.partitions();
    for (RegionInfo i : c.regions(t)) {
      int n = t.regions().indexOf(i.id());
      String expression = rule == null ? null : rule.expression(n, id -> Sql.quoted(nameOf(t, id)));
      out.row(
          c.view().alias(),
          t.schema(),
          t.name(),
          "p" + n,
          null,
          n + 1L,
          expression,
          expression,
          i.rows(),
          i.fileBytes() + i.memtableBytes(),
          t.createdMicros(),
          null,
          i.id().value());
    }
  }

  private static String nameOf(TableInfo t, int columnId) {
    return t.columnById(columnId).map(TableInfo.Column::name).orElse("#" + columnId);
  }
}
