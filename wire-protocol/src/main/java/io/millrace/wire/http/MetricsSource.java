package io.millrace.wire.http;

/** What /metrics tells. Called on an event loop: must not wait. */
public interface MetricsSource {
  /** All metrics in Prometheus' text format 0.0.4. */
  String prometheusText();
}
