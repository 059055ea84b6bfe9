package io.millrace.server.session;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.sql.plan.Planner;
import io.millrace.sql.session.SequenceMemory;
import io.millrace.wire.Backend;
import io.millrace.wire.Notice;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A session as executors see it. Used from the session's serial tasks only; futures' continuations
 * get back there by {@link #serial}.
 */
public interface SessionContext {
  SessionSettings settings();

  TransactionBlock transaction();

  /** Whether the transaction still runs. */
  boolean running(TransactionBlock block);

  CatalogSnapshot catalog();

  /** Name of the session's database as the client wrote it. */
  String databaseAlias();

  /** Name of the session's database in the catalog. */
  String database();

  String user();

  int processId();

  /** Moves the session to another database. */
  void useDatabase(String name);

  /** What statements are planned in. */
  Planner.PlanContext planContext(List<@Nullable SqlType> declared);

  /** What a statement runs in: own writes of the transaction on top. */
  QueryEngine.QueryContext queryContext(List<Vector> parameters);

  /** Search path with {@code $user} resolved and missing schemas left out. */
  List<String> searchPath();

  /** Name of the session's schema of temporary objects, whether or not it has been made. */
  String temporarySchema();

  /** Drops the session's temporary objects, if there are any. */
  CompletableFuture<Void> dropTemporary();

  /** What the session got from sequences. */
  SequenceMemory sequences();

  void notice(Notice notice);

  /** Runs the task in the session's order of tasks. */
  void serial(Runnable task);

  /** Registers what a cancel request ends; replaces the one before. Null = nothing. */
  void onCancel(java.util.function.@Nullable Consumer<MillraceException> hook);

  /** Registers what is woken when the client takes data again; null = nothing. */
  void onWindow(@Nullable Runnable hook);

  /** Starts or ends transactions; statements that control them. */
  SessionTransactions transactions();

  PreparedStatements prepared();

  /** The way to the client, for COPY. */
  Backend backend();

  /** Gives the COPY messages of the client to the handler until its future completes. */
  CompletableFuture<Outcome> copyIn(CopyHandler handler);

  /** Listens to notifications of a channel. */
  void listen(String channel);

  /** Stops listening; null = all channels. */
  void unlisten(@Nullable String channel);

  /** Takes COPY data in the session's order of tasks. */
  interface CopyHandler {
    /** Takes a piece; completes when the next one may come. */
    CompletableFuture<?> data(byte[] data, int offset, int length);

    /** The client is done; completes with the statement's outcome. */
    CompletableFuture<Outcome> done();
  }
}
