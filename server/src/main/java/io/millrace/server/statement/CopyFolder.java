package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The only folder that COPY writes files in and reads them from. Names are relative to it, or
 * absolute and inside; whatever leads out of it, by {@code ..} or by a symbolic link, is refused.
 */
final class CopyFolder {
  private static final String WHERE =
      "COPY reads and writes files on the server in the folder that copy.folder of its"
          + " configuration names.";

  private final Path root;

  CopyFolder(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** Whether there is such a file. */
  boolean exists(String name) {
    return Files.isRegularFile(inside(name));
  }

  /**
   * The files that a name stands for, by name: those of a folder, not of folders in it, without
   * hidden ones; else the file of that name.
   */
  List<String> files(String name, @Nullable Pattern pattern) {
    Path folder = name.endsWith("/") || pattern != null ? within(name) : inside(name);
    if (!Files.isDirectory(folder) || (!name.endsWith("/") && pattern == null)) {
      return List.of(name);
    }
    try (Stream<Path> all = Files.list(folder)) {
      checkReal(folder, name);
      List<String> names =
          all.filter(Files::isRegularFile)
              .map(f -> f.getFileName().toString())
              .filter(f -> !f.startsWith("."))
              .filter(f -> pattern == null || pattern.matcher(f).matches())
              .sorted()
              .map(f -> (name.endsWith("/") ? name : name + "/") + f)
              .toList();
      if (names.isEmpty()) {
        throw new MillraceException(
            ErrorCode.UNDEFINED_FILE, "there are no files for COPY in \"" + name + "\"");
      }
      return names;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR, "could not read folder \"" + name + "\": " + e.getMessage(), e);
    }
  }

  /** A file that is to be read. */
  Path existing(String name) {
    Path file = inside(name);
    if (!Files.exists(file)) {
      throw new MillraceException(
              ErrorCode.UNDEFINED_FILE,
              "could not open file \"" + name + "\" for reading: No such file or directory")
          .withHint(WHERE);
    }
    return file(file, name);
  }

  /** A file that is to be written; the folders above it are made. */
  Path target(String name) {
    Path file = inside(name);
    try {
      Files.createDirectories(root);
      checkReal(file, name);
      Path parent = file.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR,
          "could not make the folder of \"" + name + "\": " + e.getMessage(),
          e);
    }
    return file(file, name);
  }

  private Path file(Path file, String name) {
    try {
      checkReal(file, name);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IO_ERROR, "could not open file \"" + name + "\": " + e.getMessage(), e);
    }
    if (Files.isDirectory(file)) {
      throw new MillraceException(ErrorCode.WRONG_OBJECT_TYPE, "\"" + name + "\" is a directory");
    }
    return file;
  }

  private Path inside(String name) {
    Path file = within(name);
    if (file.equals(root)) {
      throw outside(name);
    }
    return file;
  }

  private Path within(String name) {
    Path file;
    try {
      file = root.resolve(name).normalize();
    } catch (InvalidPathException e) {
      throw new MillraceException(
          ErrorCode.INVALID_PARAMETER_VALUE, "\"" + name + "\" is no name of a file", e);
    }
    if (!file.startsWith(root)) {
      throw outside(name);
    }
    return file;
  }

  /** What exists of the way to the file, links followed, must lie in the folder. */
  private void checkReal(Path file, String name) throws IOException {
    Path there = file;
    while (!Files.exists(there) && there.getParent() != null) {
      if (Files.isSymbolicLink(there)) {
        throw outside(name);
      }
      there = there.getParent();
    }
    if (Files.exists(root) && !there.toRealPath().startsWith(root.toRealPath())) {
      throw outside(name);
    }
  }

  private MillraceException outside(String name) {
    return new MillraceException(
            ErrorCode.INSUFFICIENT_PRIVILEGE,
            "file \"" + name + "\" is outside of the folder for COPY")
        .withHint(WHERE);
  }
}
