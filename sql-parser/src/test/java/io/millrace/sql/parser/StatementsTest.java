package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sql.parser.ast.AlterAction;
import io.millrace.sql.parser.ast.ColumnDefinition;
import io.millrace.sql.parser.ast.ColumnDefinition.IndexKind;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.FetchDirection;
import io.millrace.sql.parser.ast.TableConstraint;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What statements other than queries become. */
class StatementsTest {
  @Test
  void a_message_is_cut_at_semicolons() {
    List<ParsedStatement> list =
        new StatementParser().parse("; SELECT 'a;b' ; -- x;\n/* ; */ BEGIN;;COMMIT");
    assertThat(list)
        .extracting(ParsedStatement::text)
        .containsExactly("SELECT 'a;b'", "BEGIN", "COMMIT");
    assertThat(list).extracting(ParsedStatement::offset).containsExactly(2, 31, 38);
    assertThat(new StatementParser().parse("  -- nothing")).isEmpty();
  }

  @Test
  void a_table_has_columns_constraints_partitions_and_options() {
    var t =
        (Statement.CreateTable)
            parse(
                "CREATE TABLE IF NOT EXISTS s.cpu (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY"
                    + " KEY COMMENT 'h' SKIPPING INDEX WITH (granularity = 1024), v DOUBLE DEFAULT"
                    + " 1 + 2 NOT NULL CHECK (v > 0), TIME INDEX (ts), PRIMARY KEY (host, dc))"
                    + " PARTITION ON COLUMNS (host) (host < 'm', host >= 'm') ENGINE = mito WITH"
                    + " (ttl = '7d', append_mode = true, compaction.type = 'twcs')");
    assertThat(t.name().parts()).containsExactly("s", "cpu");
    assertThat(t.ifNotExists()).isTrue();
    assertThat(t.engine()).isEqualTo("mito");
    assertThat(t.options())
        .extracting(Option::key, Option::value)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("ttl", "7d"),
            org.assertj.core.groups.Tuple.tuple("append_mode", "true"),
            org.assertj.core.groups.Tuple.tuple("compaction.type", "twcs"));
    assertThat(t.partitions().rules())
        .extracting(Object::toString)
        .containsExactly("host < 'm'", "host >= 'm'");
    var ts = (ColumnDefinition) t.elements().get(0);
    assertThat(ts.timeIndex()).isTrue();
    assertThat(ts.type().sql()).isEqualTo("timestamp(3)");
    var host = (ColumnDefinition) t.elements().get(1);
    assertThat(host.primaryKey()).isTrue();
    assertThat(host.comment()).isEqualTo("h");
    assertThat(host.indexes().get(0).kind()).isEqualTo(IndexKind.SKIPPING);
    var v = (ColumnDefinition) t.elements().get(2);
    assertThat(v.nullable()).isFalse();
    assertThat(v.defaultValue()).hasToString("1 + 2");
    assertThat(v.checks().get(0).condition()).hasToString("v > 0");
    assertThat(t.elements().get(3)).isInstanceOf(TableConstraint.TimeIndex.class);
    assertThat(((TableConstraint.PrimaryKey) t.elements().get(4)).columns())
        .extracting(Name::text)
        .containsExactly("host", "dc");
  }

  @Test
  void a_flow_has_its_clauses_in_any_order() {
    var f =
        (Statement.CreateFlow)
            parse(
                "CREATE FLOW f SINK TO k COMMENT = 'c' WITH (flow_type = 'batching') EVAL INTERVAL"
                    + " '30 s' EXPIRE AFTER '1 hour'::INTERVAL AS SELECT max(v) FROM t");
    assertThat(f.expireAfter().text()).isEqualTo("1 hour");
    assertThat(f.evalInterval().text()).isEqualTo("30 s");
    assertThat(f.comment()).isEqualTo("c");
    assertThat(f.query().text()).isEqualTo("SELECT max(v) FROM t");
    f = (Statement.CreateFlow) parse("CREATE FLOW f SINK TO k EXPIRE AFTER 3600 AS SELECT 1");
    assertThat(f.expireAfter()).isEqualTo(new Statement.Duration("3600", true, 38));
    f =
        (Statement.CreateFlow)
            parse("CREATE FLOW f SINK TO k EXPIRE AFTER INTERVAL '1' HOUR AS SELECT 1");
    assertThat(f.expireAfter().text()).isEqualTo("1 hour");
  }

  @Test
  void an_insert_has_its_conflict_clause() {
    var i =
        (Statement.Insert)
            parse(
                "INSERT INTO t AS x (a, b) VALUES (1, DEFAULT) ON CONFLICT (a) WHERE b > 1 DO"
                    + " UPDATE SET b = excluded.b, (c, d) = (1, 2) WHERE x.b < 5 RETURNING a, b + 1"
                    + " AS n");
    assertThat(i.alias()).hasToString("x");
    assertThat(i.onConflict().columns()).extracting(Name::text).containsExactly("a");
    assertThat(i.onConflict().assignments()).hasSize(2);
    assertThat(i.onConflict().where()).hasToString("x.b < 5");
    assertThat(i.returning()).hasToString("a, b + 1 AS n");
    assertThat(((Statement.Insert) parse("INSERT INTO t DEFAULT VALUES")).source()).isNull();
    assertThat(((Statement.Insert) parse("REPLACE INTO t VALUES (1)")).replace()).isTrue();
  }

  @Test
  void alterations_come_in_order() {
    var a =
        (Statement.AlterTable)
            parse(
                "ALTER TABLE t ADD COLUMN IF NOT EXISTS c int AFTER b, ALTER COLUMN d TYPE bigint"
                    + " USING d::bigint, SET 'ttl' = '1d', RENAME COLUMN x TO y");
    assertThat(a.actions())
        .hasExactlyElementsOfTypes(
            AlterAction.AddColumn.class,
            AlterAction.AlterType.class,
            AlterAction.SetOptions.class,
            AlterAction.RenameColumn.class);
  }

  @Test
  void settings_and_cursors_give_their_values() {
    assertThat(parse("SET LOCAL search_path = \"$user\", public"))
        .isEqualTo(new Statement.SetVariable("search_path", List.of("$user", "public"), true));
    assertThat(parse("SET TIME ZONE 'UTC'"))
        .isEqualTo(new Statement.SetVariable("timezone", List.of("UTC"), false));
    assertThat(parse("SET a.b TO DEFAULT"))
        .isEqualTo(new Statement.SetVariable("a.b", List.of(), false));
    assertThat(parse("SHOW TIME ZONE")).isEqualTo(new Statement.ShowVariable("timezone"));
    assertThat(parse("FETCH BACKWARD ALL FROM c"))
        .isEqualTo(
            new Statement.Fetch(false, FetchDirection.BACKWARD, Long.MAX_VALUE, new Name("c", 25)));
    assertThat(parse("MOVE -3 IN c"))
        .isEqualTo(new Statement.Fetch(true, FetchDirection.BACKWARD, 3, new Name("c", 12)));
    var begin = (Statement.Begin) parse("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    assertThat(begin.modes())
        .isEqualTo(new Statement.TransactionModes("repeatable read", true, null));
  }

  @Test
  void copy_takes_old_and_new_options() {
    var c =
        (Statement.Copy)
            parse(
                "COPY t (a) FROM STDIN WITH (FORMAT csv, HEADER, FORCE_NULL (a, b), DELIMITER"
                    + " '|')");
    assertThat(c.options())
        .extracting(o -> o.key() + "=" + o.value())
        .containsExactly("format=csv", "header=null", "force_null=a,b", "delimiter=|");
    c = (Statement.Copy) parse("COPY (SELECT 1) TO '/tmp/x' CSV HEADER QUOTE AS '\"'");
    assertThat(c.file()).isEqualTo("/tmp/x");
    assertThat(c.options())
        .extracting(o -> o.key() + "=" + o.value())
        .containsExactly("format=csv", "header=null", "quote=\"");
    assertThat(c.query()).hasToString("SELECT 1");
  }

  @Test
  void explain_knows_its_options() {
    var e = (Statement.Explain) parse("EXPLAIN (ANALYZE, VERBOSE false, FORMAT JSON) SELECT 1");
    assertThat(e.analyze()).isTrue();
    assertThat(e.verbose()).isFalse();
    assertThat(e.format()).isEqualTo("json");
    assertThat(parse("EXPLAIN FLOW f")).isInstanceOf(Statement.ExplainFlow.class);
  }

  @Test
  void stored_texts_are_read_again() {
    StatementParser parser = new StatementParser();
    assertThat(parser.parseQuery("SELECT a FROM t").text()).isEqualTo("SELECT a FROM t");
    assertThat(parser.parseExpression("now() - '1 h'::interval").node()).isNotNull();
  }

  private static Statement parse(String sql) {
    return new StatementParser().parse(sql).get(0).statement();
  }
}
