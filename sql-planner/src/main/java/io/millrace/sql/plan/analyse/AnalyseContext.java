package io.millrace.sql.plan.analyse;

import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.SessionFormat;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SystemRelations;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.semantics.Semantics;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a statement is analysed in.
 *
 * @param database the session's database, its own name
 * @param searchPath schemas in order; pg_catalog is looked into first unless it is named
 * @param format zone, DateStyle and so on, for constants
 * @param timestampPrecision what TIMESTAMP without precision means in casts (default 6)
 * @param declared types that the client gave for {@code $1}…; null entries are inferred
 * @param parser reads the text of a view
 */
public record AnalyseContext(
    CatalogSnapshot catalog,
    Semantics semantics,
    SystemRelations systemRelations,
    String database,
    List<String> searchPath,
    SessionFormat format,
    List<@Nullable SqlType> declared,
    Function<String, ParsedQuery> parser) {}
