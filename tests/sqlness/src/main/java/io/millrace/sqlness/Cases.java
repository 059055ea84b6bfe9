package io.millrace.sqlness;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;

/** The cases below a folder. */
final class Cases {
  private Cases() {}

  /**
   * All {@code .sql} files whose path below the folder, without the ending, matches the glob.
   *
   * @param only null = all
   */
  static List<Path> find(Path folder, @org.jspecify.annotations.Nullable String only)
      throws IOException {
    PathMatcher wanted =
        FileSystems.getDefault().getPathMatcher("glob:" + (only == null ? "**" : only));
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(p -> p.toString().endsWith(".sql"))
          .filter(p -> only == null || wanted.matches(name(folder, p)))
          .sorted()
          .toList();
    }
  }

  /** The path below the folder without the ending. */
  static Path name(Path folder, Path file) {
    String n = folder.relativize(file).toString();
    return Path.of(n.substring(0, n.length() - 4));
  }

  static Path result(Path sql) {
    String n = sql.toString();
    return Path.of(n.substring(0, n.length() - 4) + ".result");
  }
}
