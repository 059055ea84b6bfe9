package io.millrace.server.session;

import io.millrace.sql.catalog.Catalog;
import io.millrace.sql.catalog.RoleInfo;
import io.millrace.wire.pg.auth.Credentials;
import io.millrace.wire.pg.auth.Secret;
import org.jspecify.annotations.Nullable;

/** The catalog's roles, as the listener asks for them. */
public final class RoleCredentials implements Credentials {
  private final Catalog catalog;

  public RoleCredentials(Catalog catalog) {
    this.catalog = catalog;
  }

  @Override
  public @Nullable Login find(String user) {
    RoleInfo r = catalog.snapshot().role(user).orElse(null);
    if (r == null) {
      return null;
    }
    String secret = r.secret().orElse(null);
    return new Login(
        secret == null ? null : Secret.parse(secret),
        r.login(),
        r.validUntilMicros().orElse(Long.MAX_VALUE));
  }

  @Override
  public boolean anySecret() {
    for (RoleInfo r : catalog.snapshot().roles()) {
      if (r.secret().isPresent()) {
        return true;
      }
    }
    return false;
  }
}
