package io.millrace.common.id;

/** Table id in the upper 32 bits, region number in the lower. */
public record RegionId(long value) implements Comparable<RegionId> {
  public static RegionId of(TableId table, int number) {
    return new RegionId((long) table.value() << 32 | (number & 0xffffffffL));
  }

  public TableId table() {
    return new TableId((int) (value >>> 32));
  }

  public int number() {
    return (int) value;
  }

  @Override
  public int compareTo(RegionId o) {
    return Long.compareUnsigned(value, o.value);
  }

  @Override
  public String toString() {
    return table().value() + "." + number();
  }
}
