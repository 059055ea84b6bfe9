package io.millrace.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The configuration cannot be used; the message says which key, what is wrong, and what would be
 * right.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  ConfigException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
