package io.millrace.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatementSplitterTest {
  private final StatementSplitter splitter = new StatementSplitter();

  @Test
  void statements_end_at_semicolons() {
    assertThat(splitter.add("SELECT 1; SELECT 2;\n")).containsExactly("SELECT 1", "SELECT 2");
    assertThat(splitter.rest()).isBlank();
  }

  @Test
  void a_statement_may_take_several_lines() {
    assertThat(splitter.add("SELECT\n")).isEmpty();
    assertThat(splitter.add("1;\n")).containsExactly("SELECT\n1");
  }

  @Test
  void semicolons_inside_quotes_and_comments_do_not_count() {
    assertThat(
            splitter.add(
                "SELECT ';', \"a;b\", E'it\\';s', $$x;y$$, $q$;$q$ /* ; */ -- ;\n, 'it''s;';"))
        .hasSize(1);
    assertThat(splitter.rest()).isEmpty();
  }

  @Test
  void an_open_quote_waits_for_its_end() {
    assertThat(splitter.add("SELECT 'a;\n")).isEmpty();
    assertThat(splitter.add("b';\n")).containsExactly("SELECT 'a;\nb'");
  }

  @Test
  void parameters_are_no_dollar_quotes() {
    assertThat(splitter.add("SELECT $1; SELECT $2;")).containsExactly("SELECT $1", "SELECT $2");
  }
}
