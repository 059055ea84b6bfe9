package io.millrace.common.id;

/** Identity of a table, unique for the life of the data directory. */
public record TableId(int value) implements Comparable<TableId> {
  @Override
  public int compareTo(TableId o) {
    return Integer.compare(value, o.value);
  }
}
