package io.millrace.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
  @TempDir Path folder;

  @Test
  void without_arguments_the_defaults_hold() {
    Config config = Config.load();
    assertThat(config.server().host()).isEqualTo("127.0.0.1");
    assertThat(config.pg().port()).isEqualTo(4003);
    assertThat(config.http().port()).isEqualTo(4000);
    assertThat(config.data().dir()).isEqualTo(Path.of("./data"));
    assertThat(config.wal().sync()).isEqualTo(new WalSync.OnCommit());
    assertThat(config.wal().segmentSize()).isEqualTo(new DataSize(64 << 20));
    assertThat(config.wal().onDamage()).isEqualTo(Config.Wal.OnDamage.SHUT);
    assertThat(config.compaction().jobs()).isEqualTo(1);
    assertThat(config.compaction().ioPerSecond()).isEqualTo(new DataSize(0));
    assertThat(config.limits().loginDeadline()).isEqualTo(Duration.ofSeconds(15));
    assertThat(config.limits().message().toInt()).isEqualTo(256 << 20);
    assertThat(config.query().effectiveThreads()).isPositive();
  }

  @Test
  void a_file_changes_what_it_names_and_the_command_line_has_the_last_word() throws IOException {
    Path file =
        write(
            """
            [pg]
            port = 5001
            [http]
            port = 5002
            [wal]
            sync = "interval 100ms"
            [flow]
            min_refresh = "250ms"
            """);
    Config config =
        Config.load("--config", file.toString(), "--pg-port", "6001", "--set", "log.level=debug");
    assertThat(config.pg().port()).isEqualTo(6001);
    assertThat(config.http().port()).isEqualTo(5002);
    assertThat(config.wal().sync()).isEqualTo(new WalSync.Interval(Duration.ofMillis(100)));
    assertThat(config.flow().minRefresh()).isEqualTo(Duration.ofMillis(250));
    assertThat(config.log().level()).isEqualTo(Config.Log.Level.DEBUG);
    assertThat(config.limits().connections()).isEqualTo(200);
  }

  @Test
  void options_are_taken_with_an_equals_sign_too() {
    Config config =
        Config.load("--data=/var/lib/millrace", "--set=storage.reserve=1.5GiB", "--http-port=0");
    assertThat(config.data().dir()).isEqualTo(Path.of("/var/lib/millrace"));
    assertThat(config.storage().reserve().bytes()).isEqualTo(3L << 29);
    assertThat(config.http().port()).isZero();
  }

  @Test
  void an_unknown_key_is_named_with_its_neighbours() throws IOException {
    Path file = write("[wal]\nsegmnt_size = \"1MiB\"\n");
    assertThatThrownBy(() -> Config.load("--config", file.toString()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("\"wal.segmnt_size\"")
        .hasMessageContaining("wal.on_damage, wal.segment_size, wal.sync");
    assertThatThrownBy(() -> Config.load("--set", "pg.prot=1")).hasMessageContaining("\"pg.prot\"");
    assertThatThrownBy(() -> Config.load("--set", "nothing=1"))
        .hasMessageContaining("sections are");
  }

  @Test
  void a_wrong_value_names_its_key() {
    assertThatThrownBy(() -> Config.load("--set", "wal.segment_size=many"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("wal.segment_size")
        .hasMessageContaining("64MiB");
    assertThatThrownBy(() -> Config.load("--pg-port", "70000"))
        .hasMessageContaining("pg.port is 70000");
    assertThatThrownBy(() -> Config.load("--pg-port", "x"))
        .hasMessageContaining("pg.port is a whole number");
    assertThatThrownBy(() -> Config.load("--set", "flow.min_refresh=5"))
        .hasMessageContaining("flow.min_refresh")
        .hasMessageContaining("duration");
    assertThatThrownBy(() -> Config.load("--set", "wal.sync=sometimes"))
        .hasMessageContaining("wal.sync");
    assertThatThrownBy(() -> Config.load("--set", "log.level=loud"))
        .hasMessageContaining("log.level");
  }

  @Test
  void a_wrong_file_or_option_is_named() throws IOException {
    Path file = write("[pg]\nport = \n");
    assertThatThrownBy(() -> Config.load("--config", file.toString()))
        .hasMessageContaining(", line 2");
    assertThatThrownBy(() -> Config.load("--config", folder.resolve("none").toString()))
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> Config.load("--port", "1"))
        .hasMessageContaining("unknown option \"--port\"");
    assertThatThrownBy(() -> Config.load("--data")).hasMessageContaining("needs a value");
    assertThatThrownBy(() -> Config.load("--set", "pg.port")).hasMessageContaining("key=value");
  }

  @Test
  void every_key_of_the_file_is_explained() throws IOException {
    List<String> lines;
    try (var in = Config.class.getResourceAsStream("millrace.toml")) {
      assertThat(in).isNotNull();
      lines =
          new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).lines().toList();
    }
    boolean explained = false;
    for (String line : lines) {
      if (line.startsWith("#")) {
        explained = true;
      } else if (line.startsWith("[") || line.isBlank()) {
        explained = false;
      } else {
        assertThat(explained).as(line).isTrue();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "64MiB, 67108864",
    "1KiB, 1024",
    "2GB, 2000000000",
    "4096, 4096",
    "0.5MiB, 524288",
    "30%, 300",
    "100%, 1000",
    "1 mib, 1048576"
  })
  void sizes_are_read_with_their_units(String text, long bytes) {
    assertThat(DataSize.parse(text, 1000).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "MiB", "-1", "1XiB", "101%", "99999999999TiB", "1 2"})
  void what_is_not_a_size_is_refused(String text) {
    assertThatThrownBy(() -> DataSize.parse(text, 1000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a size");
  }

  @Test
  void a_size_prints_in_its_largest_whole_unit() {
    assertThat(new DataSize(64 << 20)).hasToString("64MiB");
    assertThat(new DataSize(1536)).hasToString("1536B");
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("test.toml"), text);
  }
}
