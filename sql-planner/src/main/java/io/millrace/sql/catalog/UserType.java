package io.millrace.sql.catalog;

import io.millrace.common.type.EnumLabels;
import io.millrace.common.type.SqlType;
import java.util.List;
import java.util.Optional;

/**
 * A type that a user made: an enumeration or a domain.
 *
 * @param kind e or d as pg_type.typtype
 * @param labels of an enumeration, in order
 * @param base the base type of a domain; of an enumeration what values are stored as
 * @param baseSql the base type of a domain as written
 */
public record UserType(
    int oid,
    int arrayOid,
    int version,
    String database,
    String schema,
    String name,
    char kind,
    List<Label> labels,
    SqlType base,
    String baseSql,
    boolean notNull,
    Optional<String> defaultSql,
    List<Check> checks) {

  /** A label of an enumeration. */
  public record Label(int oid, float order, String text) {
    /** What a value of the label is stored as: it grows with the order. */
    public long number() {
      return (long) ((double) order * (1L << 32));
    }
  }

  /** A CHECK of a domain: a condition over VALUE. */
  public record Check(int oid, String name, String sql) {}

  /** What values of the type are to the analyser; of a domain its base type. */
  public SqlType sqlType() {
    return isEnum()
        ? SqlType.enumeration(
            new EnumLabels(
                oid,
                arrayOid,
                name,
                labels.stream().map(l -> new EnumLabels.Label(l.text(), l.number())).toList()))
        : base;
  }

  public boolean isEnum() {
    return kind == 'e';
  }

  public boolean isDomain() {
    return kind == 'd';
  }

  public UserType {
    labels = List.copyOf(labels);
    checks = List.copyOf(checks);
  }

  public UserType named(String newSchema, String newName) {
    return new UserType(
        oid,
        arrayOid,
        version + 1,
        database,
        newSchema,
        newName,
        kind,
        labels,
        base,
        baseSql,
        notNull,
        defaultSql,
        checks);
  }

  public UserType labelled(List<Label> newLabels) {
    return new UserType(
        oid,
        arrayOid,
        version + 1,
        database,
        schema,
        name,
        kind,
        newLabels,
        base,
        baseSql,
        notNull,
        defaultSql,
        checks);
  }

  public UserType inDatabase(String newDatabase) {
    return new UserType(
        oid,
        arrayOid,
        version + 1,
        newDatabase,
        schema,
        name,
        kind,
        labels,
        base,
        baseSql,
        notNull,
        defaultSql,
        checks);
  }
}
