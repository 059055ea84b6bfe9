package io.millrace.sql.catalog;

/** Oids of the system catalogs that name kinds of objects, and of objects that have none stored. */
public final class SystemOids {
  public static final int PG_CLASS = 1259;
  public static final int PG_TYPE = 1247;
  public static final int PG_NAMESPACE = 2615;
  public static final int PG_CONSTRAINT = 2606;
  public static final int PG_DATABASE = 1262;

  /** Flows, which PostgreSQL has no catalog for. */
  public static final int FLOWS = 9_001;

  private SystemOids() {}

  /** The index behind a constraint. */
  public static int index(int constraint) {
    return 0x2000_0000 + constraint;
  }
}
