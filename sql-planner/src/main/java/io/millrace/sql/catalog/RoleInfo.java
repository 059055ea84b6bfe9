package io.millrace.sql.catalog;

import java.util.List;
import java.util.Optional;

/**
 * A role. Users are roles that may log in.
 *
 * @param connectionLimit -1 = none
 * @param secret what is kept of the password, as pg_authid.rolpassword has it
 * @param validUntilMicros when the password ends, in microseconds of the epoch
 * @param memberOf roles that it is in
 */
public record RoleInfo(
    String name,
    boolean superuser,
    boolean inherit,
    boolean createRole,
    boolean createDatabase,
    boolean login,
    boolean replication,
    boolean bypassRls,
    int connectionLimit,
    Optional<String> secret,
    Optional<Long> validUntilMicros,
    List<String> memberOf) {
  /** The role that owns everything; there before it is changed for the first time. */
  public static final String OWNER = "millrace";

  public RoleInfo {
    memberOf = List.copyOf(memberOf);
  }

  /** A role as CREATE ROLE makes it without options. */
  public static RoleInfo plain(String name, boolean login) {
    return new RoleInfo(
        name,
        false,
        true,
        false,
        false,
        login,
        false,
        false,
        -1,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  /** A role that may do everything. */
  public static RoleInfo superuser(String name) {
    return new RoleInfo(
        name,
        true,
        true,
        true,
        true,
        true,
        true,
        true,
        -1,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  /** The same under another name, in other roles; an MD5 secret, which goes with the name, ends. */
  public RoleInfo named(String next) {
    return new RoleInfo(
        next,
        superuser,
        inherit,
        createRole,
        createDatabase,
        login,
        replication,
        bypassRls,
        connectionLimit,
        secret.filter(s -> !s.startsWith("md5")),
        validUntilMicros,
        memberOf);
  }

  public RoleInfo in(List<String> roles) {
    return new RoleInfo(
        name,
        superuser,
        inherit,
        createRole,
        createDatabase,
        login,
        replication,
        bypassRls,
        connectionLimit,
        secret,
        validUntilMicros,
        roles);
  }
}
