package io.millrace.storage;

/** What a hold's owner will ask of the change feed. */
public enum HoldKind {
  /** Which keys changed. */
  KEYS,
  /** Also the rows as they were at the hold. */
  ROWS
}
