package io.millrace.sql.session;

import java.util.List;

/**
 * A setting (GUC) as pg_settings shows it.
 *
 * @param name in its usual case; looked up without case
 * @param initial the value of a new session, canonical form
 * @param vartype bool, integer, real, string or enum
 * @param unit ms, s, kB, 8kB or empty
 * @param allowed values of an enum
 * @param context user (SET works), internal or postmaster (it does not)
 * @param reported told to the client whenever it changes (GUC_REPORT)
 */
public record SettingDefinition(
    String name,
    String initial,
    String vartype,
    String unit,
    double min,
    double max,
    List<String> allowed,
    String context,
    boolean reported,
    String category,
    String description) {

  public boolean settable() {
    return context.equals("user");
  }
}
