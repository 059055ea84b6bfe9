package io.millrace.common.error;

import org.jspecify.annotations.Nullable;

/**
 * The one unchecked exception of the server: an {@link ErrorCode}, a message that names the object,
 * and, where known, position, detail, hint and the objects concerned. Immutable: the {@code with…}
 * methods return copies.
 */
public final class MillraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final Context NONE = new Context(0, null, null, null, null, null, null, null);

  private final ErrorCode code;
  private final transient Context context;

  private record Context(
      int position,
      @Nullable String detail,
      @Nullable String hint,
      @Nullable String where,
      @Nullable String schema,
      @Nullable String table,
      @Nullable String column,
      @Nullable String constraint) {}

  public MillraceException(ErrorCode code, String message) {
    this(code, message, null, NONE);
  }

  public MillraceException(ErrorCode code, String message, @Nullable Throwable cause) {
    this(code, message, cause, NONE);
  }

  private MillraceException(
      ErrorCode code, String message, @Nullable Throwable cause, Context context) {
    super(message, cause);
    this.code = code;
    this.context = context;
  }

  private MillraceException copy(Context next) {
    var copy = new MillraceException(code, message(), getCause(), next);
    copy.setStackTrace(getStackTrace());
    return copy;
  }

  public ErrorCode code() {
    return code;
  }

  public String sqlState() {
    return code.sqlState();
  }

  /** The primary message, never null. */
  public String message() {
    String m = getMessage();
    return m == null ? code.name() : m;
  }

  /** Position in the statement's text in characters, from 1; 0 if none. */
  public int position() {
    return context.position;
  }

  public @Nullable String detail() {
    return context.detail;
  }

  public @Nullable String hint() {
    return context.hint;
  }

  /** The CONTEXT line, such as {@code COPY t, line 3, column v}. */
  public @Nullable String where() {
    return context.where;
  }

  public @Nullable String schema() {
    return context.schema;
  }

  public @Nullable String table() {
    return context.table;
  }

  public @Nullable String column() {
    return context.column;
  }

  public @Nullable String constraint() {
    return context.constraint;
  }

  /** With a position in characters from 1. */
  public MillraceException at(int position) {
    var c = context;
    return copy(
        new Context(
            position, c.detail, c.hint, c.where, c.schema, c.table, c.column, c.constraint));
  }

  public MillraceException withDetail(String detail) {
    var c = context;
    return copy(
        new Context(
            c.position, detail, c.hint, c.where, c.schema, c.table, c.column, c.constraint));
  }

  public MillraceException withHint(String hint) {
    var c = context;
    return copy(
        new Context(
            c.position, c.detail, hint, c.where, c.schema, c.table, c.column, c.constraint));
  }

  public MillraceException withWhere(String where) {
    var c = context;
    return copy(
        new Context(
            c.position, c.detail, c.hint, where, c.schema, c.table, c.column, c.constraint));
  }

  /** Names the objects concerned, for the error's schema, table, column and constraint fields. */
  public MillraceException about(
      @Nullable String schema,
      @Nullable String table,
      @Nullable String column,
      @Nullable String constraint) {
    var c = context;
    return copy(
        new Context(c.position, c.detail, c.hint, c.where, schema, table, column, constraint));
  }
}
