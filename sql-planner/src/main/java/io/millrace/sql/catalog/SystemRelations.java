package io.millrace.sql.catalog;

import java.util.Collection;
import java.util.Optional;

/** The computed relations by name. */
public interface SystemRelations {
  /** By exact names; the schema is information_schema or pg_catalog. */
  Optional<SystemRelation> find(String schema, String name);

  /** All of them, for hints. */
  Collection<SystemRelation> all();
}
