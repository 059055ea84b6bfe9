package io.millrace.sql.system;

import java.util.Map;

/** A part of a relation's rows, by where they come from and how long they stay right. */
sealed interface Part {
  /** Rows that never change: built once. */
  final class Fixed implements Part {
    private final Relation.Filler filler;

    Fixed(Relation.Filler filler) {
      this.filler = filler;
    }

    Relation.Filler filler() {
      return filler;
    }
  }

  /**
   * Rows of every user relation.
   *
   * @see #paths
   */
  final class PerRelation implements Part {
    private final Relation.RelFiller filler;
    private final Map<String, Key> paths;
    private final boolean kept;

    /**
     * @param kept whether the rows stay right as long as the catalog does
     */
    PerRelation(Relation.RelFiller filler, Map<String, Key> paths, boolean kept) {
      this.filler = filler;
      this.paths = paths;
      this.kept = kept;
    }

    Relation.RelFiller filler() {
      return filler;
    }

    /** Columns by which the relations concerned are found without a scan. */
    Map<String, Key> paths() {
      return paths;
    }

    boolean kept() {
      return kept;
    }
  }

  /** Rows that stay right as long as the catalog does. */
  final class Kept implements Part {
    private final Relation.Filler filler;

    Kept(Relation.Filler filler) {
      this.filler = filler;
    }

    Relation.Filler filler() {
      return filler;
    }
  }

  /** Rows computed anew for each scan. */
  final class Fresh implements Part {
    private final Relation.Filler filler;

    Fresh(Relation.Filler filler) {
      this.filler = filler;
    }

    Relation.Filler filler() {
      return filler;
    }
  }

  /** What a column says of the user relation that a row belongs to. */
  enum Key {
    /** Oid of the relation or of one of its indexes. */
    OID,
    /** Name of the relation or of one of its indexes. */
    NAME,
    /** Oid of its row type or the array over it. */
    TYPE_OID,
    /** Name of its row type, or of the array: with an underscore before it. */
    TYPE_NAME
  }
}
