package io.millrace.sqlness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/** COPY says which line is at fault: with its text where the row alone is, without for keys. */
class CopyErrorsTest {
  @TempDir Path scratch;

  private static String context(Connection c, String format, String data) {
    PSQLException e =
        catchThrowableOfType(
            PSQLException.class,
            () ->
                c.unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY t FROM STDIN" + format, new StringReader(data)));
    return e.getSQLState() + " " + Objects.requireNonNull(e.getServerErrorMessage()).getWhere();
  }

  @Test
  void linesAreNamed() throws Exception {
    List<String> classpath =
        List.of(
            System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1));
    try (var server = new Server.Child(scratch.resolve("data"), classpath);
        Connection c =
            DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + server.port() + "/millrace?user=millrace");
        var s = c.createStatement()) {
      s.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, CHECK (n > id))");
      assertThat(context(c, "", "1\t2\n2\t\\N\n")).isEqualTo("23502 COPY t, line 2: \"2\t\\N\"");
      assertThat(context(c, " CSV HEADER", "id,n\n1,2\n3,3\n"))
          .isEqualTo("23514 COPY t, line 3: \"3,3\"");
      assertThat(context(c, "", "1\t2\n2\t3\n1\t9\n")).isEqualTo("23505 COPY t, line 3");
      s.execute("INSERT INTO t VALUES (5, 6)");
      var many = new StringBuilder();
      for (int i = 10_000; i > 0; i--) {
        many.append(i).append('\t').append(i + 1).append('\n');
      }
      assertThat(context(c, "", many.toString())).isEqualTo("23505 COPY t, line 9996");
    }
  }
}
