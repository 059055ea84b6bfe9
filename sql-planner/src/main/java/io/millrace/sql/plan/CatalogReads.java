package io.millrace.sql.plan;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.CommentKey;
import io.millrace.sql.catalog.DatabaseInfo;
import io.millrace.sql.catalog.FlowInfo;
import io.millrace.sql.catalog.RoleInfo;
import io.millrace.sql.catalog.SchemaInfo;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.catalog.UserType;
import io.millrace.sql.catalog.ViewInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A catalog that notes what it is asked while a plan is made. The plan stands on these answers
 * alone, those that a name is not there included: in whatever later version they are the same, it
 * would come out the same. So a change to one table leaves plans over others as they are. One
 * thread.
 */
final class CatalogReads implements CatalogSnapshot {
  private record Read(Function<CatalogSnapshot, ?> question, Object answer) {}

  private final CatalogSnapshot catalog;
  private final Map<List<Object>, Read> reads = new LinkedHashMap<>();

  CatalogReads(CatalogSnapshot catalog) {
    this.catalog = catalog;
  }

  /** What was read so far. */
  Basis basis() {
    return basis(TableSizes.NONE);
  }

  /** What was read so far, and how large tables are. */
  Basis basis(TableSizes sizes) {
    return new Basis(List.copyOf(reads.values()), catalog.version(), sizes);
  }

  /** The tables read so far. */
  List<TableInfo> tables() {
    var out = new ArrayList<TableInfo>();
    for (Read r : reads.values()) {
      if (r.answer() instanceof Optional<?> o && o.orElse(null) instanceof TableInfo t) {
        out.add(t);
      }
    }
    return out;
  }

  /** The answers that a plan stands on; any thread. */
  static final class Basis {
    private final List<Read> reads;

    /** The version that they were last found true of: asked again only when it is another. */
    private volatile long version;

    private final TableSizes sizes;

    private Basis(List<Read> reads, long version, TableSizes sizes) {
      this.reads = reads;
      this.version = version;
      this.sizes = sizes;
    }

    boolean holds(CatalogSnapshot now) {
      return answers(now) && sizes.hold();
    }

    private boolean answers(CatalogSnapshot now) {
      if (now.version() == version) {
        return true;
      }
      for (Read r : reads) {
        if (!r.question().apply(now).equals(r.answer())) {
          return false;
        }
      }
      version = now.version();
      return true;
    }
  }

  private <T> T note(Function<CatalogSnapshot, T> question, Object... of) {
    T answer = question.apply(catalog);
    reads.putIfAbsent(List.of(of), new Read(question, answer));
    return answer;
  }

  /** Not noted: plans must not stand on it. */
  @Override
  public long version() {
    return catalog.version();
  }

  @Override
  public Collection<DatabaseInfo> databases() {
    return note(c -> List.copyOf(c.databases()), "databases");
  }

  @Override
  public Optional<DatabaseInfo> database(String name) {
    return note(c -> c.database(name), "database", name);
  }

  @Override
  public Collection<SchemaInfo> schemas(String database) {
    return note(c -> List.copyOf(c.schemas(database)), "schemas", database);
  }

  @Override
  public Optional<TableInfo> table(String database, String schema, String name) {
    return note(c -> c.table(database, schema, name), "table", database, schema, name);
  }

  @Override
  public Optional<TableInfo> table(TableId id) {
    return note(c -> c.table(id), "table", id);
  }

  @Override
  public Collection<TableInfo> tables(String database) {
    return note(c -> List.copyOf(c.tables(database)), "tables", database);
  }

  @Override
  public Collection<TableInfo> hiddenTables() {
    return note(c -> List.copyOf(c.hiddenTables()), "hiddenTables");
  }

  @Override
  public Optional<ViewInfo> view(String database, String schema, String name) {
    return note(c -> c.view(database, schema, name), "view", database, schema, name);
  }

  @Override
  public Collection<ViewInfo> views(String database) {
    return note(c -> List.copyOf(c.views(database)), "views", database);
  }

  @Override
  public Optional<FlowInfo> flow(String database, String schema, String name) {
    return note(c -> c.flow(database, schema, name), "flow", database, schema, name);
  }

  @Override
  public Optional<FlowInfo> flow(FlowId id) {
    return note(c -> c.flow(id), "flow", id);
  }

  @Override
  public Collection<FlowInfo> flows() {
    return note(c -> List.copyOf(c.flows()), "flows");
  }

  @Override
  public Optional<SequenceInfo> sequence(String database, String schema, String name) {
    return note(c -> c.sequence(database, schema, name), "sequence", database, schema, name);
  }

  @Override
  public Optional<SequenceInfo> sequence(int oid) {
    return note(c -> c.sequence(oid), "sequence", oid);
  }

  @Override
  public Collection<SequenceInfo> sequences(String database) {
    return note(c -> List.copyOf(c.sequences(database)), "sequences", database);
  }

  @Override
  public Optional<UserType> type(String database, String schema, String name) {
    return note(c -> c.type(database, schema, name), "type", database, schema, name);
  }

  @Override
  public Optional<UserType> type(int oid) {
    return note(c -> c.type(oid), "type", oid);
  }

  @Override
  public Collection<UserType> types(String database) {
    return note(c -> List.copyOf(c.types(database)), "types", database);
  }

  @Override
  public Collection<RoleInfo> roles() {
    return note(c -> List.copyOf(c.roles()), "roles");
  }

  @Override
  public Optional<RoleInfo> role(String name) {
    return note(c -> c.role(name), "role", name);
  }

  @Override
  public Map<CommentKey, String> comments() {
    return note(c -> Map.copyOf(c.comments()), "comments");
  }

  /** A catalog of its own, whose answers are not noted. */
  @Override
  public CatalogSnapshot preview(CatalogChange change) {
    return catalog.preview(change);
  }
}
