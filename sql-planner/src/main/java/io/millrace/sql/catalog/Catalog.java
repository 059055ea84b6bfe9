package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Databases, schemas, tables, views, flows. Changes are serialised, durable when their future
 * completes, and seen by every snapshot taken afterwards.
 */
public interface Catalog {
  /** Name of the database that every data directory has. */
  String DEFAULT_DATABASE = "millrace";

  String DEFAULT_SCHEMA = "public";

  CatalogSnapshot snapshot();

  /**
   * Applies a change: the function sees the newest snapshot and says what to do, or throws (nothing
   * is changed then and the future fails with it).
   */
  CompletableFuture<CatalogSnapshot> change(Function<CatalogSnapshot, CatalogChange> change);

  /** Durable, never reused. */
  TableId nextTableId();

  FlowId nextFlowId();

  /** Oids from 16384 on, durable, never reused. */
  int nextOid();

  /** Where sequences stand. */
  SequenceValues sequenceValues();
}
