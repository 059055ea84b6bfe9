package io.millrace.storage;

/** What a region may do here. */
public enum RegionRole {
  /** Takes writes, flushes and compacts. */
  LEADER,
  /** Is read only: opened without its log. */
  FOLLOWER
}
