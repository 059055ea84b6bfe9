package io.millrace.server.session;

import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A parsed statement.
 *
 * @param planned null for an empty text
 * @param parameters types told to the client, as declared where it declared them
 * @param columns result columns; null = no rows
 */
record PreparedStatement(
    String text,
    Planner.@Nullable Planned planned,
    List<@Nullable SqlType> declared,
    List<SqlType> parameters,
    @Nullable List<PlanTemplate.ResultColumn> columns,
    long catalogVersion) {}
