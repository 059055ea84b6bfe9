package io.millrace.sql.catalog;

import io.millrace.common.id.FlowId;
import io.millrace.common.id.TableId;
import java.util.List;

/** Puts and removals that become visible and durable together. */
public record CatalogChange(List<Action> actions) {
  public CatalogChange {
    actions = List.copyOf(actions);
  }

  public static CatalogChange of(Action... actions) {
    return new CatalogChange(List.of(actions));
  }

  /** One put (new or replaced, by identity) or removal. */
  public sealed interface Action {
    record PutTable(TableInfo table) implements Action {}

    record RemoveTable(TableId id) implements Action {}

    record PutFlow(FlowInfo flow) implements Action {}

    record RemoveFlow(FlowId id) implements Action {}

    record PutView(ViewInfo view) implements Action {}

    record RemoveView(int oid) implements Action {}

    record PutSchema(SchemaInfo schema) implements Action {}

    record RemoveSchema(int oid) implements Action {}

    record PutDatabase(DatabaseInfo database) implements Action {}

    record RemoveDatabase(int oid) implements Action {}

    record PutSequence(SequenceInfo sequence) implements Action {}

    record RemoveSequence(int oid) implements Action {}

    record PutType(UserType type) implements Action {}

    record RemoveType(int oid) implements Action {}

    record PutRole(RoleInfo role) implements Action {}

    record RemoveRole(String name) implements Action {}

    record PutComment(CommentKey key, String text) implements Action {}

    record RemoveComment(CommentKey key) implements Action {}
  }
}
