package io.millrace.sql.catalog;

import io.millrace.common.type.SqlType;
import java.util.List;

/** A view: its text and the columns it had when made. */
public record ViewInfo(
    int oid,
    int version,
    String database,
    String schema,
    String name,
    String query,
    List<String> columnNames,
    List<SqlType> columnTypes) {}
