package io.millrace.server.statement;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.io.DateTimeText;
import io.millrace.server.session.Outcome;
import io.millrace.server.session.SessionContext;
import io.millrace.sql.catalog.CatalogChange;
import io.millrace.sql.catalog.CatalogSnapshot;
import io.millrace.sql.catalog.RoleInfo;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.wire.Notice;
import io.millrace.wire.pg.auth.Secret;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** CREATE, ALTER and DROP of roles and users. */
final class RoleExecutor {
  private final StatementServices services;
  private final SecureRandom random = new SecureRandom();

  RoleExecutor(StatementServices services) {
    this.services = services;
  }

  private static String tag(Statement.CreateRole s) {
    return s.alter() ? "ALTER ROLE" : "CREATE ROLE";
  }

  private static Optional<RoleInfo> find(CatalogSnapshot c, String name) {
    Optional<RoleInfo> found = c.role(name);
    return found.isPresent() || !name.equals(RoleInfo.OWNER)
        ? found
        : Optional.of(RoleInfo.superuser(name));
  }

  private static RoleInfo role(CatalogSnapshot c, String name) {
    return find(c, name)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNDEFINED_OBJECT, "role \"" + name + "\" does not exist"));
  }

  CompletableFuture<Outcome> put(SessionContext session, Statement.CreateRole s) {
    DmlSupport.requireWritable(session, tag(s));
    String name = own(session, s.name().text());
    if (!s.alter()) {
      requireFree(name);
      if (find(session.catalog(), name).isPresent() && s.ifNotExists()) {
        Ddl.exists(session, ErrorCode.DUPLICATE_OBJECT, "role \"" + name + "\"");
        return Ddl.done(tag(s));
      }
    }
    var options = new Options(session, s, name);
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  if (!s.alter() && find(c, name).isPresent()) {
                    throw exists(name);
                  }
                  RoleInfo before = s.alter() ? role(c, name) : RoleInfo.plain(name, s.user());
                  return new CatalogChange(options.apply(c, before));
                })
            .thenApply(
                c -> {
                  warnOwner(session, c);
                  return c;
                }),
        tag(s));
  }

  private static String own(SessionContext session, String name) {
    return switch (name) {
      case "current_user", "session_user", "current_role", "user" -> session.user();
      default -> name;
    };
  }

  private static MillraceException exists(String name) {
    return new MillraceException(
        ErrorCode.DUPLICATE_OBJECT, "role \"" + name + "\" already exists");
  }

  private static void requireFree(String name) {
    if (name.startsWith("pg_") || name.equals("public") || name.equals("none")) {
      MillraceException e =
          new MillraceException(ErrorCode.RESERVED_NAME, "role name \"" + name + "\" is reserved");
      throw name.startsWith("pg_")
          ? e.withDetail("Role names starting with \"pg_\" are reserved.")
          : e;
    }
  }

  /** Once anybody has a password, who has none cannot come in: not even the owner. */
  private static void warnOwner(SessionContext session, CatalogSnapshot c) {
    boolean any = c.roles().stream().anyMatch(r -> r.secret().isPresent());
    if (any && c.role(RoleInfo.OWNER).flatMap(RoleInfo::secret).isEmpty()) {
      session.serial(
          () ->
              session.notice(
                  Notice.warning(
                      ErrorCode.WARNING,
                      "user \""
                          + RoleInfo.OWNER
                          + "\" has no password and cannot log in any more: ALTER USER "
                          + RoleInfo.OWNER
                          + " PASSWORD '…'")));
    }
  }

  CompletableFuture<Outcome> drop(SessionContext session, Statement.DropObject s) {
    var names = new LinkedHashSet<String>();
    for (var n : s.names()) {
      String name = own(session, n.name());
      if (name.equals(session.user())) {
        throw new MillraceException(ErrorCode.OBJECT_IN_USE, "current user cannot be dropped");
      }
      if (name.equals(RoleInfo.OWNER)) {
        throw new MillraceException(
            ErrorCode.DEPENDENT_OBJECTS_STILL_EXIST,
            "cannot drop role " + name + " because it is required by the database system");
      }
      if (session.catalog().role(name).isPresent()) {
        names.add(name);
      } else if (s.ifExists()) {
        Ddl.missing(session, "role \"" + name + "\"");
      } else {
        throw new MillraceException(
            ErrorCode.UNDEFINED_OBJECT, "role \"" + name + "\" does not exist");
      }
    }
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  var actions = new ArrayList<CatalogChange.Action>();
                  for (String name : names) {
                    actions.add(new CatalogChange.Action.RemoveRole(role(c, name).name()));
                  }
                  for (RoleInfo r : c.roles()) {
                    if (!names.contains(r.name())
                        && r.memberOf().stream().anyMatch(names::contains)) {
                      actions.add(
                          new CatalogChange.Action.PutRole(
                              r.in(
                                  r.memberOf().stream().filter(m -> !names.contains(m)).toList())));
                    }
                  }
                  return new CatalogChange(actions);
                }),
        "DROP ROLE");
  }

  CompletableFuture<Outcome> rename(SessionContext session, String from, String to) {
    String name = own(session, from);
    requireFree(to);
    if (name.equals(session.user())) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "session user cannot be renamed");
    }
    if (name.equals(RoleInfo.OWNER)) {
      throw new MillraceException(
          ErrorCode.FEATURE_NOT_SUPPORTED, "role " + name + " owns everything and keeps its name");
    }
    if (role(session.catalog(), name).secret().filter(x -> x.startsWith("md5")).isPresent()) {
      session.notice(Notice.notice("MD5 password cleared because of role rename"));
    }
    Ddl.noticeInBlock(session);
    return Ddl.done(
        services
            .catalog()
            .change(
                c -> {
                  if (find(c, to).isPresent()) {
                    throw exists(to);
                  }
                  var actions = new ArrayList<CatalogChange.Action>();
                  actions.add(new CatalogChange.Action.RemoveRole(name));
                  actions.add(new CatalogChange.Action.PutRole(role(c, name).named(to)));
                  for (RoleInfo r : c.roles()) {
                    if (!r.name().equals(name) && r.memberOf().contains(name)) {
                      actions.add(
                          new CatalogChange.Action.PutRole(
                              r.in(
                                  r.memberOf().stream()
                                      .map(m -> m.equals(name) ? to : m)
                                      .toList())));
                    }
                  }
                  return new CatalogChange(actions);
                }),
        "ALTER ROLE");
  }

  /** The options of one statement, read and checked once. */
  private final class Options {
    private final List<Option> options;
    private final Optional<String> secret;
    private final Optional<Long> until;
    private final String name;

    Options(SessionContext session, Statement.CreateRole s, String name) {
      this.name = name;
      this.options = s.options();
      Optional<String> kept = Optional.empty();
      Optional<Long> valid = Optional.empty();
      Set<String> seen = new HashSet<>();
      for (Option o : options) {
        String key = o.key().toLowerCase(Locale.ROOT);
        String kind = key.startsWith("no") && isFlag(key.substring(2)) ? key.substring(2) : key;
        if (!seen.add(kind)) {
          throw new MillraceException(ErrorCode.SYNTAX_ERROR, "conflicting or redundant options")
              .at(o.position());
        }
        if (key.equals("password")) {
          kept = secret(session, o);
        } else if (key.equals("valid until") && o.value() != null) {
          valid =
              Optional.of(
                  DateTimeText.parseTimestamp(
                      o.value(), true, session.settings().format(), services.clock().wallMicros()));
        } else if (!isFlag(kind) && !isOther(key)) {
          throw new MillraceException(
                  ErrorCode.SYNTAX_ERROR, "unrecognized role option \"" + o.key() + "\"")
              .at(o.position());
        }
      }
      this.secret = kept;
      this.until = valid;
    }

    private static boolean isFlag(String key) {
      return switch (key) {
        case "superuser",
            "inherit",
            "createrole",
            "createdb",
            "login",
            "replication",
            "bypassrls" ->
            true;
        default -> false;
      };
    }

    private static boolean isOther(String key) {
      return switch (key) {
        case "connection limit",
            "valid until",
            "in role",
            "in group",
            "role",
            "user",
            "admin",
            "sysid" ->
            true;
        default -> false;
      };
    }

    private Optional<String> secret(SessionContext session, Option o) {
      String given = o.value();
      if (given == null) {
        return Optional.empty();
      }
      if (given.isEmpty()) {
        session.notice(Notice.notice("empty string is not a valid password, clearing password"));
        return Optional.empty();
      }
      if (Secret.parse(given) != null) {
        return Optional.of(given);
      }
      boolean md5 = session.settings().get("password_encryption").orElse("").equals("md5");
      return Optional.of((md5 ? Secret.md5(name, given) : Secret.scram(given, random)).text());
    }

    private boolean flag(String key, boolean before) {
      for (Option o : options) {
        if (o.key().equalsIgnoreCase(key)) {
          return true;
        }
        if (o.key().equalsIgnoreCase("no" + key)) {
          return false;
        }
      }
      return before;
    }

    private boolean has(String key) {
      return options.stream().anyMatch(o -> o.key().equalsIgnoreCase(key));
    }

    private List<String> names(String... keys) {
      var out = new ArrayList<String>();
      for (Option o : options) {
        for (String k : keys) {
          if (o.key().equalsIgnoreCase(k) && o.value() != null) {
            out.addAll(List.of(o.value().split(",")));
          }
        }
      }
      return out;
    }

    private int limit(int before) {
      for (Option o : options) {
        if (o.key().equalsIgnoreCase("connection limit") && o.value() != null) {
          int n = Integer.parseInt(o.value());
          if (n < -1) {
            throw new MillraceException(
                ErrorCode.INVALID_PARAMETER_VALUE, "invalid connection limit: " + n);
          }
          return n;
        }
      }
      return before;
    }

    List<CatalogChange.Action> apply(CatalogSnapshot c, RoleInfo before) {
      var groups = new LinkedHashSet<>(before.memberOf());
      for (String group : names("in role", "in group")) {
        groups.add(role(c, group).name());
      }
      var out = new ArrayList<CatalogChange.Action>();
      out.add(
          new CatalogChange.Action.PutRole(
              new RoleInfo(
                  before.name(),
                  flag("superuser", before.superuser()),
                  flag("inherit", before.inherit()),
                  flag("createrole", before.createRole()),
                  flag("createdb", before.createDatabase()),
                  flag("login", before.login()),
                  flag("replication", before.replication()),
                  flag("bypassrls", before.bypassRls()),
                  limit(before.connectionLimit()),
                  has("password") ? secret : before.secret(),
                  has("valid until") ? until : before.validUntilMicros(),
                  List.copyOf(groups))));
      for (String member : names("role", "user", "admin")) {
        RoleInfo m = role(c, member);
        var in = new LinkedHashSet<>(m.memberOf());
        in.add(before.name());
        out.add(new CatalogChange.Action.PutRole(m.in(List.copyOf(in))));
      }
      return out;
    }
  }
}
