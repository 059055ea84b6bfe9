package io.millrace.sql.catalog;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/*
 * The catalog over a KvBackend. Entries are JSON under "table/ID", "flow/ID", "view/OID", "schema/OID",
 * "database/OID", "sequence/OID", "type/OID", "role/NAME"; "comment/CATALOG/OID/COLUMN" holds text and "counter/NAME" a
 * number. Changes run one after the other on the executor (one thread), so a
 * change sees all earlier ones; the snapshot is swapped after the backend has made the change durable.
 * Identities are handed out from blocks that are reserved durably ahead, so none is ever used twice.
 */
/** The catalog of a data directory. */
public final class StoredCatalog implements Catalog, AutoCloseable {
  private static final int BLOCK = 128;
  private static final int FIRST_TABLE = 1024;
  private static final int FIRST_OID = 16384;

  private final KvBackend backend;
  private final Executor executor;
  private final JsonMapper json;
  private final Counter tables;
  private final Counter flows;
  private final Counter oids;
  private final StoredSequences sequences;
  private volatile MapSnapshot current;

  /**
   * Loads the catalog, making the default database in an empty backend.
   *
   * @param executor a single thread that may wait for the disk
   */
  public StoredCatalog(KvBackend backend, Executor executor) {
    this.backend = backend;
    this.executor = executor;
    this.json =
        JsonMapper.builder()
            .changeDefaultVisibility(
                v ->
                    v.withVisibility(PropertyAccessor.ALL, JsonAutoDetect.Visibility.NONE)
                        .withVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
                        .withVisibility(PropertyAccessor.CREATOR, JsonAutoDetect.Visibility.ANY))
            .build();
    Map<String, byte[]> stored = backend.load();
    this.tables = new Counter("table", FIRST_TABLE, stored);
    this.flows = new Counter("flow", FIRST_TABLE, stored);
    this.oids = new Counter("oid", FIRST_OID, stored);
    this.sequences = new StoredSequences(backend, stored);
    var builder = new MapSnapshot.Builder(MapSnapshot.EMPTY);
    stored.forEach((k, v) -> load(builder, k, v));
    MapSnapshot loaded = builder.build();
    if (loaded.databases().isEmpty()) {
      var database = new DatabaseInfo(nextOid(), DEFAULT_DATABASE);
      var schema = new SchemaInfo(2200, DEFAULT_DATABASE, DEFAULT_SCHEMA);
      var change =
          CatalogChange.of(
              new CatalogChange.Action.PutDatabase(database),
              new CatalogChange.Action.PutSchema(schema));
      backend.commit(encode(change));
      loaded = loaded.with(change);
    }
    this.current = loaded;
  }

  private void load(MapSnapshot.Builder builder, String key, byte[] value) {
    String kind = key.substring(0, key.indexOf('/'));
    switch (kind) {
      case "table" -> builder.put(decode(key, value, TableInfo.class));
      case "flow" -> builder.put(decode(key, value, FlowInfo.class));
      case "view" -> builder.put(decode(key, value, ViewInfo.class));
      case "schema" -> builder.put(decode(key, value, SchemaInfo.class));
      case "database" -> builder.put(decode(key, value, DatabaseInfo.class));
      case "sequence" -> builder.put(decode(key, value, SequenceInfo.class));
      case "type" -> builder.put(decode(key, value, UserType.class));
      case "role" -> builder.put(decode(key, value, RoleInfo.class));
      case "comment" -> builder.put(commentKey(key), new String(value, StandardCharsets.UTF_8));
      case "counter", "sequence-value" -> {}
      default ->
          throw new MillraceException(
              ErrorCode.DATA_CORRUPTED, "unknown catalog entry \"" + key + "\"");
    }
  }

  private static CommentKey commentKey(String key) {
    String[] p = key.split("/", -1);
    return new CommentKey(Integer.parseInt(p[1]), Integer.parseInt(p[2]), Integer.parseInt(p[3]));
  }

  private static String text(CommentKey key) {
    return "comment/" + key.catalog() + "/" + key.oid() + "/" + key.column();
  }

  private <T> T decode(String key, byte[] value, Class<T> type) {
    try {
      return mapper().readValue(value, type);
    } catch (JacksonException e) {
      throw new MillraceException(
          ErrorCode.DATA_CORRUPTED, "catalog entry \"" + key + "\" cannot be read", e);
    }
  }

  private ObjectMapper mapper() {
    return json;
  }

  @Override
  public CatalogSnapshot snapshot() {
    return current;
  }

  @Override
  public CompletableFuture<CatalogSnapshot> change(
      Function<CatalogSnapshot, CatalogChange> change) {
    return CompletableFuture.supplyAsync(
        () -> {
          MapSnapshot before = current;
          CatalogChange wanted = change.apply(before);
          if (wanted.actions().isEmpty()) {
            return before;
          }
          MapSnapshot after = before.with(wanted);
          backend.commit(encode(wanted));
          current = after;
          for (CatalogChange.Action a : wanted.actions()) {
            if (a instanceof CatalogChange.Action.RemoveSequence(var oid)) {
              sequences.forget(oid);
            }
          }
          return after;
        },
        executor);
  }

  private Map<String, byte @Nullable []> encode(CatalogChange change) {
    var out = new LinkedHashMap<String, byte @Nullable []>();
    for (CatalogChange.Action a : change.actions()) {
      switch (a) {
        case CatalogChange.Action.PutTable(var t) -> out.put("table/" + t.id().value(), bytes(t));
        case CatalogChange.Action.RemoveTable(var id) -> out.put("table/" + id.value(), null);
        case CatalogChange.Action.PutFlow(var f) -> out.put("flow/" + f.id().value(), bytes(f));
        case CatalogChange.Action.RemoveFlow(var id) -> out.put("flow/" + id.value(), null);
        case CatalogChange.Action.PutView(var v) -> out.put("view/" + v.oid(), bytes(v));
        case CatalogChange.Action.RemoveView(var oid) -> out.put("view/" + oid, null);
        case CatalogChange.Action.PutSchema(var s) -> out.put("schema/" + schemaKey(s), bytes(s));
        case CatalogChange.Action.RemoveSchema(var oid) ->
            out.put("schema/" + schemaKey(oid), null);
        case CatalogChange.Action.PutDatabase(var d) -> out.put("database/" + d.oid(), bytes(d));
        case CatalogChange.Action.RemoveDatabase(var oid) -> out.put("database/" + oid, null);
        case CatalogChange.Action.PutSequence(var q) -> out.put("sequence/" + q.oid(), bytes(q));
        case CatalogChange.Action.RemoveSequence(var oid) -> {
          out.put("sequence/" + oid, null);
          out.put(StoredSequences.PREFIX + oid, null);
        }
        case CatalogChange.Action.PutType(var t) -> out.put("type/" + t.oid(), bytes(t));
        case CatalogChange.Action.RemoveType(var oid) -> out.put("type/" + oid, null);
        case CatalogChange.Action.PutRole(var r) -> out.put("role/" + r.name(), bytes(r));
        case CatalogChange.Action.RemoveRole(var name) -> out.put("role/" + name, null);
        case CatalogChange.Action.PutComment(var key, var text) ->
            out.put(text(key), text.getBytes(StandardCharsets.UTF_8));
        case CatalogChange.Action.RemoveComment(var key) -> out.put(text(key), null);
      }
    }
    return out;
  }

  private static String schemaKey(SchemaInfo s) {
    return schemaKey(s.oid());
  }

  private static String schemaKey(int oid) {
    return Integer.toString(oid);
  }

  private byte[] bytes(Object value) {
    return mapper().writeValueAsBytes(value);
  }

  @Override
  public TableId nextTableId() {
    return new TableId(tables.next());
  }

  @Override
  public FlowId nextFlowId() {
    return new FlowId(flows.next());
  }

  @Override
  public int nextOid() {
    return oids.next();
  }

  @Override
  public SequenceValues sequenceValues() {
    return sequences;
  }

  /** Stores where the sequences stand; the backend stays open. */
  @Override
  public void close() {
    sequences.close();
  }

  /** Hands out numbers below a limit that is durable before the first of them is used. */
  private final class Counter {
    private final String key;
    private int next;
    private int limit;

    Counter(String name, int first, Map<String, byte[]> stored) {
      key = "counter/" + name;
      byte[] v = stored.get(key);
      next = v == null ? first : Integer.parseInt(new String(v, StandardCharsets.US_ASCII));
      limit = next;
    }

    synchronized int next() {
      if (next == limit) {
        int wanted = limit + BLOCK;
        backend.commit(Map.of(key, Integer.toString(wanted).getBytes(StandardCharsets.US_ASCII)));
        limit = wanted;
      }
      return next++;
    }
  }
}
