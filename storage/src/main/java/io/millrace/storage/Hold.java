package io.millrace.storage;

import io.millrace.common.id.RegionId;

/** Keeps versions above a sequence comparable. Never moved; release it by closing. */
public interface Hold extends AutoCloseable {
  RegionId region();

  String owner();

  HoldKind kind();

  long sequence();

  @Override
  void close();
}
