package io.millrace.wire;

/** The state that ReadyForQuery tells. */
public enum TransactionStatus {
  IDLE('I'),
  IN_TRANSACTION('T'),
  FAILED('E');

  private final char code;

  TransactionStatus(char code) {
    this.code = code;
  }

  /** The byte on the wire. */
  public char code() {
    return code;
  }
}
