package io.millrace.server.session;

import io.millrace.common.batch.Batch;
import io.millrace.sql.physical.PlanTemplate;
import java.util.List;

/** What a statement that is not a plain query came to. */
public sealed interface Outcome {
  /** The command tag. */
  String tag();

  /** No rows. */
  record Done(String tag) implements Outcome {}

  /** Rows that are all there already: SHOW, RETURNING, EXPLAIN. */
  record Rows(List<PlanTemplate.ResultColumn> columns, List<Batch> batches, String tag)
      implements Outcome {}

  /** Nothing was in the text. */
  record Empty() implements Outcome {
    @Override
    public String tag() {
      return "";
    }
  }
}
