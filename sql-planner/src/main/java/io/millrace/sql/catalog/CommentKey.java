package io.millrace.sql.catalog;

/**
 * What a comment is on, as pg_description says it.
 *
 * @param catalog oid of the catalog that the object is in (pg_class 1259, pg_namespace 2615, …)
 * @param column attribute number, 0 for the object itself
 */
public record CommentKey(int catalog, int oid, int column) {}
