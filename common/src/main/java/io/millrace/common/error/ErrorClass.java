package io.millrace.common.error;

/** Whose fault a failure is, and so what the caller may do about it. */
public enum ErrorClass {
  /** The statement or its data is wrong; sending it again changes nothing. */
  USER,
  /** A limit of memory, disk or connections was met; may work later. */
  RESOURCE,
  /** Something that is needed is not there now; may work later. */
  UNAVAILABLE,
  /** Stored bytes are damaged. */
  CORRUPT,
  /** A defect of the server. */
  BUG
}
