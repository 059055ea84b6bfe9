package io.millrace.server.session;

import io.millrace.common.batch.Vector;
import io.millrace.sql.exec.QueryEngine;
import io.millrace.wire.Formats;
import io.millrace.wire.RowEncoder;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A statement bound to parameters, perhaps half read. Owned by the session's serial tasks. */
final class Portal {
  final PreparedStatement statement;
  final List<Vector> parameters;
  final Formats formats;
  @Nullable RowEncoder encoder;
  QueryEngine.@Nullable Query query;
  @Nullable StreamSink sink;
  @Nullable Outcome outcome;
  int batch;
  int row;
  boolean finished;
  Consumer<StreamSink.End> onEnd = end -> {};

  Portal(PreparedStatement statement, List<Vector> parameters, Formats formats) {
    this.statement = statement;
    this.parameters = parameters;
    this.formats = formats;
  }

  void close() {
    if (query != null) {
      query.close();
    }
  }
}
