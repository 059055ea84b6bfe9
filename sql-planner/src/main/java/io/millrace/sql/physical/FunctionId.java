package io.millrace.sql.physical;

/**
 * Identity of a function's implementation: PostgreSQL's internal name and argument types, such as
 * {@code int4pl(int4,int4)}, {@code length(text)}, {@code cast(int4):text}; our own additions
 * likewise.
 */
public record FunctionId(String signature) {
  @Override
  public String toString() {
    return signature;
  }
}
