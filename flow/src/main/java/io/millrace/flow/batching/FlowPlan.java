package io.millrace.flow.batching;

import io.millrace.common.batch.Vector;
import io.millrace.common.id.TableId;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import java.util.List;
import java.util.Optional;

/**
 * A flow's query, analysed.
 *
 * @param template the query, extended: after its own columns come those of the output key that it
 *     does not show
 * @param literals values of the template's parameters
 * @param columns the query's own result columns
 * @param key places in the extended output of the output key's columns
 * @param bag rows that are equal in all of the key may be there more than once
 * @param window the window expression, if the plan is window-local
 * @param windowPlace place of the window's start in the extended output; -1 if there is no window
 * @param windowIsBare the window is the time index itself
 * @param driving the scan that a range of windows is pushed to
 * @param aggregates whether there is an aggregate or DISTINCT
 * @param why why the plan is not window-local
 */
public record FlowPlan(
    PlanTemplate template,
    List<Vector> literals,
    List<PlanTemplate.ResultColumn> columns,
    List<Integer> key,
    boolean bag,
    Optional<TimeWindow> window,
    int windowPlace,
    boolean windowIsBare,
    Optional<PhysicalPlan.TableScan> driving,
    boolean aggregates,
    String why) {

  public boolean windowLocal() {
    return window.isPresent();
  }

  /** The window for EXPLAIN FLOW. */
  public Optional<String> describeWindow() {
    return window.map(TimeWindow::describe);
  }

  public List<TableId> sources() {
    return List.copyOf(template.tables().keySet());
  }
}
