package io.millrace.sql.system;

import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.RoleInfo;
import io.millrace.sql.exec.QueryEngine.SessionInfo;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** pg_authid and its views. The owner of everything and the session's own user are always there. */
final class PgRoles {
  private PgRoles() {}

  /** All roles, the owner first. */
  static List<RoleInfo> all(CatalogSnapshot catalog, SessionInfo session) {
    var out = new ArrayList<RoleInfo>();
    out.add(catalog.role(RoleInfo.OWNER).orElseGet(() -> RoleInfo.superuser(RoleInfo.OWNER)));
    for (RoleInfo r : catalog.roles()) {
      if (!r.name().equals(RoleInfo.OWNER)) {
        out.add(r);
      }
    }
    String user = session.user();
    if (out.stream().noneMatch(r -> r.name().equals(user))) {
      out.add(RoleInfo.superuser(user));
    }
    return out;
  }

  /** The name of a role's oid; null if there is none. */
  static @Nullable String name(CatalogSnapshot catalog, SessionInfo session, int oid) {
    if (oid == Oids.OWNER) {
      return RoleInfo.OWNER;
    }
    for (RoleInfo r : all(catalog, session)) {
      if (Oids.role(r.name()) == oid) {
        return r.name();
      }
    }
    return null;
  }

  static void provide(Parts p) {
    p.fresh(
        "pg_authid",
        (c, out) -> {
          for (RoleInfo r : all(c.catalog(), c.session())) {
            out.row(
                Oids.role(r.name()),
                r.name(),
                r.superuser(),
                r.inherit(),
                r.createRole(),
                r.createDatabase(),
                r.login(),
                r.replication(),
                r.bypassRls(),
                r.connectionLimit(),
                r.secret().orElse(null),
                r.validUntilMicros().orElse(null));
          }
        });
    p.fresh(
        "pg_roles",
        (c, out) -> {
          for (RoleInfo r : all(c.catalog(), c.session())) {
            out.row(
                r.name(),
                r.superuser(),
                r.inherit(),
                r.createRole(),
                r.createDatabase(),
                r.login(),
                r.replication(),
                r.connectionLimit(),
                "********",
                r.validUntilMicros().orElse(null),
                r.bypassRls(),
                null,
                Oids.role(r.name()));
          }
        });
    users(p, "pg_user");
    users(p, "pg_shadow");
    p.fresh(
        "pg_auth_members",
        (c, out) -> {
          for (RoleInfo r : all(c.catalog(), c.session())) {
            for (String group : r.memberOf()) {
              out.row(Oids.role(group), Oids.role(r.name()), Oids.OWNER, false);
            }
          }
        });
    p.fresh(
        "pg_group",
        (c, out) -> {
          List<RoleInfo> all = all(c.catalog(), c.session());
          for (RoleInfo g : all) {
            if (!g.login()) {
              out.row(
                  g.name(),
                  Oids.role(g.name()),
                  all.stream()
                      .filter(r -> r.memberOf().contains(g.name()))
                      .map(r -> Oids.role(r.name()))
                      .toList());
            }
          }
        });
  }

  private static void users(Parts p, String relation) {
    boolean shadow = relation.equals("pg_shadow");
    p.fresh(
        relation,
        (c, out) -> {
          for (RoleInfo r : all(c.catalog(), c.session())) {
            if (r.login()) {
              out.row(
                  r.name(),
                  Oids.role(r.name()),
                  r.createDatabase(),
                  r.superuser(),
                  r.replication(),
                  r.bypassRls(),
                  shadow ? r.secret().orElse(null) : "********",
                  r.validUntilMicros().orElse(null),
                  null);
            }
          }
        });
  }
}
