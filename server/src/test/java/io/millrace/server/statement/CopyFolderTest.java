package io.millrace.server.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyFolderTest {
  @TempDir Path temp;

  private CopyFolder folder() {
    return new CopyFolder(temp.resolve("files"));
  }

  @Test
  void names_are_relative_to_the_folder_or_absolute_inside_it() {
    Path inside = temp.resolve("files/a/b.csv");
    assertThat(folder().target("a/b.csv")).isEqualTo(inside);
    assertThat(folder().target(inside.toString())).isEqualTo(inside);
    assertThat(inside.getParent()).isDirectory();
  }

  @Test
  void ways_out_of_the_folder_are_refused() throws IOException {
    Files.createDirectories(temp.resolve("files"));
    Files.writeString(temp.resolve("secret"), "x");
    for (String name :
        new String[] {"../secret", "a/../../secret", temp.resolve("secret").toString(), "", "."}) {
      fails(() -> folder().existing(name), ErrorCode.INSUFFICIENT_PRIVILEGE);
      fails(() -> folder().target(name), ErrorCode.INSUFFICIENT_PRIVILEGE);
    }
  }

  @Test
  void a_link_out_of_the_folder_is_refused() throws IOException {
    Files.createDirectories(temp.resolve("files"));
    Files.createDirectories(temp.resolve("outside"));
    Files.writeString(temp.resolve("outside/secret"), "x");
    Files.createSymbolicLink(temp.resolve("files/way"), temp.resolve("outside"));
    Files.createSymbolicLink(temp.resolve("files/file"), temp.resolve("outside/secret"));
    Files.createSymbolicLink(temp.resolve("files/nowhere"), temp.resolve("outside/new"));
    fails(() -> folder().existing("way/secret"), ErrorCode.INSUFFICIENT_PRIVILEGE);
    fails(() -> folder().existing("file"), ErrorCode.INSUFFICIENT_PRIVILEGE);
    fails(() -> folder().target("way/new"), ErrorCode.INSUFFICIENT_PRIVILEGE);
    fails(() -> folder().target("way/deep/new"), ErrorCode.INSUFFICIENT_PRIVILEGE);
    fails(() -> folder().target("nowhere"), ErrorCode.INSUFFICIENT_PRIVILEGE);
    assertThat(temp.resolve("outside/deep")).doesNotExist();
  }

  @Test
  void a_missing_file_and_a_directory_are_no_files() throws IOException {
    Files.createDirectories(temp.resolve("files/sub"));
    fails(() -> folder().existing("missing"), ErrorCode.UNDEFINED_FILE);
    fails(() -> folder().existing("sub"), ErrorCode.WRONG_OBJECT_TYPE);
    fails(() -> folder().target("sub"), ErrorCode.WRONG_OBJECT_TYPE);
  }

  private static void fails(ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }
}
