package io.millrace.sql.catalog;

import io.millrace.common.id.TableId;
import java.util.Optional;

/**
 * A sequence's definition; its values are in {@link SequenceValues}.
 *
 * @param typname int2, int4 or int8
 * @param cache as given; values are not cached by sessions, so it has no effect
 */
public record SequenceInfo(
    int oid,
    int version,
    String database,
    String schema,
    String name,
    String typname,
    long start,
    long increment,
    long min,
    long max,
    long cache,
    boolean cycle,
    Optional<Owner> owner) {

  /**
   * The column that a sequence goes with: it is dropped with it.
   *
   * @param identity made by GENERATED … AS IDENTITY: it belongs to the column wholly
   */
  public record Owner(TableId table, int columnId, boolean identity) {}

  public SequenceInfo named(String newSchema, String newName) {
    return new SequenceInfo(
        oid,
        version + 1,
        database,
        newSchema,
        newName,
        typname,
        start,
        increment,
        min,
        max,
        cache,
        cycle,
        owner);
  }

  public SequenceInfo ownedBy(Optional<Owner> newOwner) {
    return new SequenceInfo(
        oid,
        version + 1,
        database,
        schema,
        name,
        typname,
        start,
        increment,
        min,
        max,
        cache,
        cycle,
        newOwner);
  }

  public SequenceInfo inDatabase(String newDatabase) {
    return new SequenceInfo(
        oid,
        version + 1,
        newDatabase,
        schema,
        name,
        typname,
        start,
        increment,
        min,
        max,
        cache,
        cycle,
        owner);
  }
}
