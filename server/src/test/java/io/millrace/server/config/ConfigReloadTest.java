package io.millrace.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReloadTest {
  @TempDir Path folder;

  @Test
  void someKeysTakeEffectAtOnceTheOthersAreNamedAndAMistakeChangesNothing() throws Exception {
    Path file = folder.resolve("own.toml");
    Files.writeString(file, "[limits]\nconnections = 10\n");
    String[] args = {"--config", file.toString(), "--set", "pg.port=0"};
    var reload = new ConfigReload(Config.load(args), () -> Config.load(args));
    List<Integer> limits = new ArrayList<>();
    reload.on("limits.connections", c -> limits.add(c.limits().connections()));
    assertThat(reload.reload()).isEqualTo(new ConfigReload.Result(List.of(), List.of()));

    Files.writeString(file, "[limits]\nconnections = 20\n[wal]\nsync = \"none\"\n");
    assertThat(reload.reload())
        .isEqualTo(new ConfigReload.Result(List.of("limits.connections"), List.of("wal.sync")));
    assertThat(limits).containsExactly(20);
    assertThat(reload.reload()).isEqualTo(new ConfigReload.Result(List.of(), List.of("wal.sync")));

    Files.writeString(file, "[limits]\nconnections = 30\nno_such = 1\n");
    assertThatThrownBy(reload::reload)
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIG_FILE_ERROR))
        .hasMessageContaining("no_such");
    assertThat(limits).containsExactly(20);
    assertThatThrownBy(() -> reload.on("limits.nothing", c -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
