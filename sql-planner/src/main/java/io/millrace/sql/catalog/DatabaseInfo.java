package io.millrace.sql.catalog;

/** A database. The default one also answers to {@code postgres} and {@code public}. */
public record DatabaseInfo(int oid, String name) {}
