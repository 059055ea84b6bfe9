package io.millrace.server.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
  private static final String LINES =
      """
      {"a": 1.50, "b": "x\\ty", "more": [1]}
      {"b": null, "a": {"k": "v\\\\n"}}
      {"a": true}
      """;

  private static String translated(int piece) {
    var lines = new JsonLines("t", List.of("a", "b"));
    byte[] data = LINES.stripTrailing().getBytes(StandardCharsets.UTF_8);
    var out = new StringBuilder();
    for (int at = 0; at < data.length; at += piece) {
      byte[] part = java.util.Arrays.copyOfRange(data, at, Math.min(at + piece, data.length));
      out.append(lines.translate(part, part.length));
    }
    return out.append(lines.rest()).toString();
  }

  @Test
  void members_go_to_their_columns_wherever_the_pieces_end() {
    String rows = "1.50\tx\\ty\n{\"k\": \"v\\\\\\\\n\"}\t\\N\ntrue\t\\N\n";
    for (int piece : new int[] {1, 2, 7, 1000}) {
      assertThat(translated(piece)).isEqualTo(rows);
    }
  }

  @Test
  void an_error_names_the_line() {
    byte[] data = "{\"a\": 1}\n[1]\n".getBytes(StandardCharsets.UTF_8);
    var lines = new JsonLines("t", List.of("a"));
    assertThatThrownBy(() -> lines.translate(data, data.length))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(String.valueOf(e.where())).contains("COPY t, line 2"));
  }
}
