/** information_schema and pg_catalog, computed from the catalog snapshot. */
@NullMarked
package io.millrace.sql.system;

import org.jspecify.annotations.NullMarked;
