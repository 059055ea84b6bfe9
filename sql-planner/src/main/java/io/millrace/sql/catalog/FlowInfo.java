package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A flow's definition as the catalog keeps it. Durations in microseconds. */
public record FlowInfo(
    FlowId id,
    int oid,
    int version,
    String database,
    String schema,
    String name,
    String sinkDatabase,
    String sinkSchema,
    String sinkTable,
    Optional<TableId> sinkId,
    List<TableId> sources,
    List<String> sourceNames,
    String query,
    String rawSql,
    OptionalLong expireAfterMicros,
    OptionalLong evalIntervalMicros,
    Optional<String> comment,
    Map<String, String> options,
    Map<String, String> sessionSettings,
    long createdMicros,
    long updatedMicros) {}
