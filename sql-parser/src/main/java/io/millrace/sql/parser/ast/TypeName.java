package io.millrace.sql.parser.ast;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A type as the statement names it. SQL's own spellings have become PostgreSQL's names (int,
 * integer → int4; double precision → float8; char → bpchar; timestamp with time zone → timestamptz;
 * … UNSIGNED → uint8, uint16, uint32, uint64); other names stand as written, folded.
 *
 * @param name one name, or schema and name
 * @param modifiers what stood in parentheses: numbers as digits, words and strings as their text
 * @param arrayDimensions 0 for no array
 * @param fields of an interval, such as "day to second"
 * @param position of the type in the statement's text, in characters from 1
 */
public record TypeName(
    List<String> name,
    List<String> modifiers,
    int arrayDimensions,
    boolean setOf,
    @Nullable String fields,
    int position) {

  public TypeName {
    name = List.copyOf(name);
    modifiers = List.copyOf(modifiers);
  }

  /** The name without schema. */
  public String baseName() {
    return name.get(name.size() - 1);
  }

  /** The type as SQL text that gives this type again. */
  public String sql() {
    StringBuilder out = new StringBuilder();
    if (setOf) {
      out.append("SETOF ");
    }
    out.append(name.stream().map(TypeName::quote).collect(Collectors.joining(".")));
    if (fields != null) {
      out.append(' ').append(fields);
    }
    if (!modifiers.isEmpty()) {
      out.append('(').append(String.join(",", modifiers)).append(')');
    }
    return out.append("[]".repeat(arrayDimensions)).toString();
  }

  private static String quote(String part) {
    return part.matches("[a-z_][a-z_0-9]*") && part.equals(part.toLowerCase(Locale.ROOT))
        ? part
        : '"' + part.replace("\"", "\"\"") + '"';
  }

  @Override
  public String toString() {
    return sql();
  }
}
