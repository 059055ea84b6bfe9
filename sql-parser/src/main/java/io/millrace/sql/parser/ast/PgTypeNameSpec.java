package io.millrace.sql.parser.ast;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.util.Litmus;

/** The type of a cast: resolved by our analyser, never by Calcite's. */
public final class PgTypeNameSpec extends SqlTypeNameSpec {
  private final TypeName type;

  public PgTypeNameSpec(TypeName type, SqlParserPos pos) {
    super(new SqlIdentifier(type.name(), pos), pos);
    this.type = type;
  }

  public TypeName type() {
    return type;
  }

  @Override
  public RelDataType deriveType(SqlValidator validator) {
    throw new UnsupportedOperationException("types are resolved by the analyser");
  }

  @Override
  public void unparse(SqlWriter writer, int leftPrec, int rightPrec) {
    writer.print(type.sql());
    writer.setNeedWhitespace(true);
  }

  @Override
  public boolean equalsDeep(SqlTypeNameSpec spec, Litmus litmus) {
    return spec instanceof PgTypeNameSpec other && type.sql().equals(other.type.sql())
        ? litmus.succeed()
        : litmus.fail("{} != {}", this, spec);
  }
}
