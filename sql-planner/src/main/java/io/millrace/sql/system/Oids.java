package io.millrace.sql.system;

/**
 * Oids of what has none of its own in the catalog: derived from the owner's, so they stay the same
 * across restarts. Catalog oids count up from 16384 and stay far below 2^28.
 */
final class Oids {
  static final int PG_CATALOG = 11;
  static final int INFORMATION_SCHEMA = 13212;
  static final int OWNER = 10;
  static final int BTREE = 403;
  static final int HEAP = 2;
  static final int DEFAULT_COLLATION = 100;
  static final int PG_CLASS = 1259;
  static final int PG_TYPE = 1247;
  static final int PG_PROC = 1255;
  static final int PG_NAMESPACE = 2615;
  static final int PG_CONSTRAINT = 2606;
  static final int PG_DATABASE = 1262;
  static final int PG_ATTRDEF = 2604;
  static final int PG_REWRITE = 2618;

  private Oids() {}

  /** The row type of a relation. */
  static int rowType(int relation) {
    return 0x4000_0000 + relation * 2;
  }

  /** The array type over a relation's row type. */
  static int rowTypeArray(int relation) {
    return rowType(relation) + 1;
  }

  /** The index behind a constraint. */
  static int index(int constraint) {
    return 0x2000_0000 + constraint;
  }

  /** The default of a column. */
  static int columnDefault(int relation, int attribute) {
    return 0x8000_0000 | relation << 11 & 0x7fff_f800 | attribute & 0x7ff;
  }

  /** The rule behind a view. */
  static int rule(int view) {
    return 0x3000_0000 + view;
  }

  /** A role that logged in but is not stored. */
  static int role(String name) {
    return name.equals("millrace") ? OWNER : 0x7000_0000 | name.hashCode() & 0x0fff_ffff;
  }
}
