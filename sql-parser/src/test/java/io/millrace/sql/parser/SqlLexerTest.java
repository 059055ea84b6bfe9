package io.millrace.sql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlLexerTest {
  private final SqlLexer lexer = new SqlLexer();

  private List<String> texts(String sql) {
    lexer.scan(sql.getBytes(StandardCharsets.UTF_8));
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < lexer.count(); i++) {
      texts.add(lexer.text(i));
    }
    return texts;
  }

  private List<Byte> kinds(String sql) {
    texts(sql);
    List<Byte> kinds = new ArrayList<>();
    for (int i = 0; i < lexer.count(); i++) {
      kinds.add(lexer.kind(i));
    }
    return kinds;
  }

  @Test
  void operators_are_cut_as_PostgreSQL_cuts_them() {
    assertThat(texts("a<-1 a@-1 a->>b a=-b a*-1 a!=-1 a<>+1 a||-1"))
        .containsExactly(
            "a", "<", "-", "1", "a", "@-", "1", "a", "->>", "b", "a", "=", "-", "b", "a", "*", "-",
            "1", "a", "!=-", "1", "a", "<>", "+", "1", "a", "||-", "1");
    assertThat(texts("a-- x\n+b/* y /* z */ */-c")).containsExactly("a", "+", "b", "-", "c");
    assertThat(texts("a::int[1:2]")).containsExactly("a", "::", "int", "[", "1", ":", "2", "]");
    assertThat(texts("a=? and b>=? and c ?| d")).contains("=", "?", ">=", "?|");
    assertThat(texts("f(a=>1,b:=2)")).contains("=>", ":=");
    assertThat(texts("1..2")).containsExactly("1", "..", "2");
  }

  @Test
  void literals_have_the_class_of_their_value() {
    assertThat(
            kinds(
                "2147483647 2147483648 9223372036854775807 9223372036854775808 1.0 1e3 0xFF 'a'"
                    + " $1"))
        .containsExactly(
            SqlLexer.INTEGER,
            SqlLexer.BIGINT,
            SqlLexer.BIGINT,
            SqlLexer.NUMERIC,
            SqlLexer.NUMERIC,
            SqlLexer.NUMERIC,
            SqlLexer.INTEGER,
            SqlLexer.STRING,
            SqlLexer.PARAMETER);
  }

  @Test
  void strings_of_every_form_give_their_value() {
    texts(
        "'it''s' E'a\\n"
            + "\\x41\\101\\u00e9\\'' U&'d\\0061\\+01F600' $q$a'b$$$q$ 'a'\n"
            + " 'b' N'n' \"A\"\"b\" `c`");
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      values.add(lexer.string(i));
    }
    assertThat(values).containsExactly("it's", "a\nAAé'", "da😀", "a'b$$", "ab", "n");
    assertThat(lexer.identifier(6)).isEqualTo("A\"b");
    assertThat(lexer.identifier(7)).isEqualTo("c");
  }

  @Test
  void words_fold_and_are_cut_to_63_bytes() {
    texts("FooBar ÄÖ SELECT " + "x".repeat(70));
    assertThat(lexer.identifier(0)).isEqualTo("foobar");
    assertThat(lexer.identifier(1)).isEqualTo("ÄÖ");
    assertThat(lexer.keyword(2)).isEqualTo(Keyword.SELECT);
    assertThat(lexer.identifier(3)).hasSize(63);
  }

  @Test
  void texts_of_the_same_shape_have_the_same_words_and_hashes() {
    SqlLexer other = new SqlLexer();
    lexer.scan("SELECT a FROM T WHERE x >= 5".getBytes(StandardCharsets.UTF_8));
    other.scan("select A /* c */ from t where X>=77".getBytes(StandardCharsets.UTF_8));
    assertThat(lexer.count()).isEqualTo(other.count());
    for (int i = 0; i < lexer.count() - 1; i++) {
      assertThat(lexer.sameText(i, other, i)).isTrue();
      assertThat(lexer.kind(i)).isEqualTo(other.kind(i));
    }
    assertThat(lexer.sameText(7, other, 7)).isFalse();
  }

  @Test
  void positions_count_characters() {
    texts("'äö' x");
    assertThat(lexer.position(lexer.start(1))).isEqualTo(6);
  }
}
