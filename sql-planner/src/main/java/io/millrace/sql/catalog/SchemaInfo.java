package io.millrace.sql.catalog;

/** A schema of a database. */
public record SchemaInfo(int oid, String database, String name) {}
