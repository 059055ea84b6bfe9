package io.millrace.flow;

import io.millrace.sql.catalog.FlowInfo;

/** The engine that a flow's options record; batching where they say nothing. */
enum FlowKind {
  BATCHING,
  STREAMING;

  static FlowKind of(FlowInfo flow) {
    return "streaming".equals(flow.options().get("flow_type")) ? STREAMING : BATCHING;
  }

  /** As options and statistics spell it. */
  String text() {
    return this == STREAMING ? "streaming" : "batching";
  }
}
