package io.millrace.common.id;

/** Identity of a flow. */
public record FlowId(int value) implements Comparable<FlowId> {
  @Override
  public int compareTo(FlowId o) {
    return Integer.compare(value, o.value);
  }
}
