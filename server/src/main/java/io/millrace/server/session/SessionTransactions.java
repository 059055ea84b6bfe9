package io.millrace.server.session;

import io.millrace.sql.parser.ast.Statement;
import java.util.concurrent.CompletableFuture;

/** Transaction control of a session. */
public interface SessionTransactions {
  CompletableFuture<Outcome> begin(Statement.TransactionModes modes, String tag);

  CompletableFuture<Outcome> commit(boolean chain);

  CompletableFuture<Outcome> rollback(boolean chain);

  Outcome savepoint(String name);

  Outcome release(String name);

  Outcome rollbackTo(String name);

  Outcome set(Statement.SetTransaction statement);
}
