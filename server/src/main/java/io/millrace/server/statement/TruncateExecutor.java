package io.millrace.server.statement;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.common.batch.BytesColumn;
import io.millrace.common.batch.LongVector;
import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.SequenceInfo;
import io.millrace.sql.catalog.TableInfo;
import io.millrace.sql.ddl.TableProcedures;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.physical.Expr;
import io.millrace.storage.RegionOptions;
import io.millrace.storage.Truncation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** TRUNCATE, of whole tables or of the files that lie in ranges of time. */
final class TruncateExecutor {
  private final StatementServices services;
  private final DmlSupport dml;

  TruncateExecutor(StatementServices services, DmlSupport dml) {
    this.services = services;
    this.dml = dml;
  }

  CompletableFuture<Outcome> truncate(SessionContext session, Statement.Truncate s) {
    DmlSupport.requireWritable(session, "TRUNCATE TABLE");
    Ddl.noticeInBlock(session);
    List<TableInfo> tables = s.names().stream().map(n -> Names.table(session, n)).toList();
    CompletableFuture<?> all = CompletableFuture.completedFuture(null);
    for (TableInfo t : tables) {
      if (s.fileRanges().isEmpty()) {
        services.writer().discard(session.transaction().forget(t.id()));
      }
      all =
          all.thenCompose(v -> services.tables().truncate(t, truncation(session, s, t)))
              .thenAccept(n -> services.writer().truncated(t));
      if (s.restartIdentity()) {
        for (SequenceInfo q : TableProcedures.ownedSequences(session.catalog(), t)) {
          all = all.thenRun(() -> services.catalog().sequenceValues().set(q, q.start(), false));
        }
      }
    }
    return all.thenApply(v -> new Outcome.Done("TRUNCATE TABLE"));
  }

  /** What of the table goes: all, or the files that lie wholly in one of the ranges [from, to). */
  private Truncation truncation(SessionContext session, Statement.Truncate s, TableInfo t) {
    if (s.fileRanges().isEmpty()) {
      return new Truncation.All();
    }
    if (t.regionOptions().keyMode() != RegionOptions.KeyMode.TIME_INDEX) {
      throw new MillraceException(
              ErrorCode.WRONG_OBJECT_TYPE, "table \"" + t.name() + "\" has no TIME INDEX")
          .withHint("Use TRUNCATE without FILE RANGE, or DELETE.");
    }
    SqlType type = t.storage().timeIndex().type();
    var ranges = new ArrayList<Truncation.TimeRange>();
    for (Statement.FileRange r : s.fileRanges()) {
      long from = time(session, r.from(), type);
      long to = time(session, r.to(), type);
      if (from >= to) {
        throw new MillraceException(
            ErrorCode.INVALID_PARAMETER_VALUE, "a FILE RANGE must end after it begins");
      }
      ranges.add(new Truncation.TimeRange(from, to - 1));
    }
    return new Truncation.Files(ranges);
  }

  private long time(SessionContext session, ParsedExpression e, SqlType type) {
    Expr expr = services.planner().planExpression(e, session.planContext(List.of()));
    Vector given = services.evaluator().constant(expr, List.of(), dml.evalContext(session));
    if (given.isNull(0)) {
      throw new MillraceException(
          ErrorCode.NULL_VALUE_NOT_ALLOWED, "a FILE RANGE must have two bounds");
    }
    String text =
        given instanceof BytesColumn b
            ? b.string(0)
            : RowText.value(given, 0, session.settings().format());
    byte[] bytes = text.getBytes(UTF_8);
    VectorBuilder out = VectorBuilder.of(type, 1);
    TypeCodecs.of(type).parseText(bytes, 0, bytes.length, out, session.settings().format());
    return out.build() instanceof LongVector l ? l.get(0) : 0;
  }
}
