package io.millrace.sql.exec.memory;

/** An operator that can give its memory back by spilling. */
public interface Revocable {
  /** Bytes that spilling would free now. */
  long revocableBytes();

  /** Asks it to spill in its own next step; called from any thread, returns at once. */
  void revoke();
}
