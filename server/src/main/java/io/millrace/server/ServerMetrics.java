package io.millrace.server;

import io.millrace.common.error.MillraceException;
import io.millrace.common.id.RegionId;
import io.millrace.flow.FlowService;
import io.millrace.flow.FlowStatistics;
import io.millrace.storage.EngineFigures;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionInfo;
import io.millrace.wire.http.MetricsSource;
import io.millrace.wire.pg.PgServer;

/** Figures in Prometheus' text format. */
record ServerMetrics(RegionEngine engine, PgServer pg, FlowService flows) implements MetricsSource {
  @Override
  public String prometheusText() {
    var out = new StringBuilder(2048);
    long rows = 0;
    long memory = 0;
    long fileBytes = 0;
    long files = 0;
    int regions = 0;
    for (RegionId id : engine.regions()) {
      RegionInfo r;
      try {
        r = engine.info(id);
      } catch (MillraceException e) {
        continue;
      }
      regions++;
      rows += r.rows();
      memory += r.memtableBytes();
      fileBytes += r.fileBytes();
      files += r.files();
    }
    gauge(out, "millrace_sessions", "Open client sessions", pg.sessions());
    gauge(out, "millrace_regions", "Open regions", regions);
    gauge(out, "millrace_rows", "Rows stored, estimated", rows);
    gauge(out, "millrace_memtable_bytes", "Bytes in memtables", memory);
    gauge(out, "millrace_sst_bytes", "Bytes in SST files", fileBytes);
    gauge(out, "millrace_sst_files", "SST files", files);
    gauge(
        out,
        "millrace_heap_used_bytes",
        "Heap in use",
        Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    engineFigures(out);
    head(out, "millrace_flow_evaluations_total", "Evaluations of a flow", "counter");
    for (FlowStatistics f : flows.statistics()) {
      sample(out, "millrace_flow_evaluations_total", f, f.evaluations());
    }
    head(out, "millrace_flow_errors_total", "Failed evaluations of a flow", "counter");
    for (FlowStatistics f : flows.statistics()) {
      sample(out, "millrace_flow_errors_total", f, f.errors());
    }
    head(out, "millrace_flow_dirty_ranges", "Ranges that wait for evaluation", "gauge");
    for (FlowStatistics f : flows.statistics()) {
      sample(out, "millrace_flow_dirty_ranges", f, f.dirtyRanges());
    }
    return out.toString();
  }

  private void engineFigures(StringBuilder out) {
    String last = "";
    for (EngineFigures.Figure f : engine.figures().figures()) {
      String name = "millrace_" + f.name();
      if (!name.equals(last)) {
        head(out, name, f.help(), f.counter() ? "counter" : "gauge");
      }
      last = name;
      out.append(name);
      if (!f.label().isEmpty()) {
        out.append('{').append(f.label()).append('}');
      }
      out.append(' ').append(number(f.value())).append('\n');
    }
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static void head(StringBuilder out, String name, String help, String type) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private static void gauge(StringBuilder out, String name, String help, long value) {
    head(out, name, help, "gauge");
    out.append(name).append(' ').append(value).append('\n');
  }

  private static void sample(StringBuilder out, String name, FlowStatistics f, long value) {
    out.append(name)
        .append("{flow=\"")
        .append(f.name().replace("\\", "\\\\").replace("\"", "\\\""))
        .append("\"} ")
        .append(value)
        .append('\n');
  }
}
