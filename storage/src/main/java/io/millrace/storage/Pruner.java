package io.millrace.storage;

/** What keeps a scan from reading rows. */
public enum Pruner {
  /** The times of files and pages. */
  TIME,
  /** Lowest and highest values of pages. */
  STATISTICS,
  KEY_BLOOM,
  INVERTED,
  SKIPPING,
  FULLTEXT;

  public static Pruner of(IndexKind kind) {
    return switch (kind) {
      case KEY_BLOOM -> KEY_BLOOM;
      case INVERTED -> INVERTED;
      case SKIPPING -> SKIPPING;
      case FULLTEXT -> FULLTEXT;
    };
  }
}
