package io.millrace.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * {@code millrace.ready} in the data folder: written once the server answers, removed when it
 * stops. bin/millrace waits for it and reads the ports from it, so a server on free ports (0) can
 * be found too.
 */
public final class ReadyFile {
  private static final String NAME = "millrace.ready";

  private ReadyFile() {}

  public static void write(Path dataDir, String host, int pgPort, int httpPort) throws IOException {
    Path next = dataDir.resolve(NAME + ".new");
    Files.writeString(
        next,
        "pid=%d%nhost=%s%npg_port=%d%nhttp_port=%d%n"
            .formatted(ProcessHandle.current().pid(), host, pgPort, httpPort));
    Files.move(
        next,
        dataDir.resolve(NAME),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  public static void remove(Path dataDir) throws IOException {
    Files.deleteIfExists(dataDir.resolve(NAME));
  }
}
