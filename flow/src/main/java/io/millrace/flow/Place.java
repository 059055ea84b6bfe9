package io.millrace.flow;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.plan.Planner;
import java.util.List;

/** Where a name that may not exist yet belongs. */
record Place(String database, String schema, String name) {
  static Place of(Planner.PlanContext c, QualifiedName name) {
    List<String> p = name.parts();
    CatalogSnapshot s = c.catalog();
    return switch (p.size()) {
      case 1 ->
          new Place(
              c.database(),
              c.searchPath().stream()
                  .filter(x -> hasSchema(s, c.database(), x))
                  .findFirst()
                  .orElse(Catalog.DEFAULT_SCHEMA),
              p.getFirst());
      case 2 ->
          hasSchema(s, c.database(), p.getFirst())
              ? new Place(c.database(), p.getFirst(), p.get(1))
              : s.database(p.getFirst())
                  .map(d -> new Place(d.name(), Catalog.DEFAULT_SCHEMA, p.get(1)))
                  .orElseThrow(
                      () ->
                          new MillraceException(
                                  ErrorCode.INVALID_SCHEMA_NAME,
                                  "schema \"" + p.getFirst() + "\" does not exist")
                              .at(name.position()));
      default -> new Place(p.getFirst(), p.get(1), p.get(2));
    };
  }

  private static boolean hasSchema(CatalogSnapshot c, String database, String schema) {
    return c.schemas(database).stream().map(SchemaInfo::name).anyMatch(schema::equals);
  }
}
