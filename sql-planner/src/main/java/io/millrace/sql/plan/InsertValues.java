package io.millrace.sql.plan;

import io.millrace.common.batch.Vector;
import io.millrace.common.batch.VectorBuilder;
import io.millrace.common.type.SqlType;
import io.millrace.common.type.io.TypeCodec;
import io.millrace.common.type.io.TypeCodecs;
import io.millrace.sql.parser.Keyword;
import io.millrace.sql.parser.SqlLexer;
import io.millrace.sql.physical.DmlPlan;
import io.millrace.sql.physical.Expr;
import io.millrace.sql.physical.PhysicalPlan;
import io.millrace.sql.physical.PlanTemplate;
import io.millrace.sql.plan.Planner.PlannedDml;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * INSERT … VALUES of plain tuples, without analysing each.
 *
 * <p>If every cell is one literal, NULL, TRUE or FALSE, or the cells are {@code $1}, {@code $2}, …
 * in order, the statement is its first part, a width and a number of tuples. A statement of one
 * tuple of parameters stands for all of them and is analysed once; its plan reads columns of cells
 * ({@link PhysicalPlan.ParamRows}), into which the literals are read right from the text. What is
 * not plain, or cannot be read, goes the long way, which also says what is wrong with it.
 */
final class InsertValues {
  /** The parts of such a statement. */
  record Tuples(int firstTuple, int suffix, int width, int rows, boolean parameters, int[] cells) {}

  /**
   * The plan for any number of tuples.
   *
   * @param literalTypes types of the columns of cells when they are literals: the table columns'
   */
  record Template(
      DmlPlan.Insert ofParameters,
      List<SqlType> parameterTypes,
      DmlPlan.@Nullable Insert ofLiterals,
      List<SqlType> literalTypes,
      List<Vector> slots) {}

  private InsertValues() {}

  // ---- reading the tokens ----

  /** Null if the statement is none of these. */
  static @Nullable Tuples read(SqlLexer lexer, byte[] sql, int end) {
    if (lexer.keyword(0) != Keyword.INSERT && lexer.keyword(0) != Keyword.REPLACE) {
      return null;
    }
    int at = values(lexer, end);
    if (at < 0) {
      return null;
    }
    int first = at;
    int width = -1;
    int rows = 0;
    boolean literals = true;
    boolean parameters = true;
    int[] cells = new int[256];
    int n = 0;
    while (true) {
      if (lexer.kind(at) != SqlLexer.LEFT_PAREN) {
        return null;
      }
      at++;
      int columns = 0;
      while (true) {
        if (n == cells.length) {
          cells = Arrays.copyOf(cells, 2 * n);
        }
        cells[n++] = at;
        columns++;
        byte kind = lexer.kind(at);
        if (kind == SqlLexer.PARAMETER) {
          literals = false;
          parameters &= lexer.parameter(at) == n;
        } else if (kind == SqlLexer.OPERATOR) {
          parameters = false;
          literals &=
              lexer.end(at) - lexer.start(at) == 1
                  && sql[lexer.start(at)] == '-'
                  && isNumber(lexer.kind(at + 1));
          at++;
        } else {
          parameters = false;
          literals &= isConstant(lexer, at);
        }
        if (!literals && !parameters) {
          return null;
        }
        at++;
        if (lexer.kind(at) == SqlLexer.COMMA) {
          at++;
        } else if (lexer.kind(at) == SqlLexer.RIGHT_PAREN) {
          at++;
          break;
        } else {
          return null;
        }
      }
      if (width >= 0 && columns != width) {
        return null;
      }
      width = columns;
      rows++;
      if (at < end && lexer.kind(at) == SqlLexer.COMMA) {
        at++;
      } else {
        return usesParameters(lexer, at, end)
            ? null
            : new Tuples(first, at, width, rows, parameters, cells);
      }
    }
  }

  /** Parameters behind the tuples would be those of the representative. */
  private static boolean usesParameters(SqlLexer lexer, int from, int end) {
    for (int t = from; t < end; t++) {
      if (lexer.kind(t) == SqlLexer.PARAMETER) {
        return true;
      }
    }
    return false;
  }

  /** The token behind VALUES; -1 if it does not come where it should. */
  private static int values(SqlLexer lexer, int end) {
    if (end < 5 || lexer.keyword(1) != Keyword.INTO) {
      return -1;
    }
    int depth = 0;
    for (int t = 2; t < end && t < 4_000; t++) {
      byte kind = lexer.kind(t);
      if (kind == SqlLexer.LEFT_PAREN) {
        depth++;
      } else if (kind == SqlLexer.RIGHT_PAREN) {
        depth--;
      } else if (kind == SqlLexer.WORD && depth == 0) {
        Keyword k = lexer.keyword(t);
        if (k == Keyword.VALUES) {
          return t + 1;
        }
        if (k == Keyword.SELECT || k == Keyword.DEFAULT || k == Keyword.WITH) {
          return -1;
        }
      }
    }
    return -1;
  }

  private static boolean isNumber(byte kind) {
    return kind == SqlLexer.INTEGER || kind == SqlLexer.BIGINT || kind == SqlLexer.NUMERIC;
  }

  private static boolean isConstant(SqlLexer lexer, int at) {
    return switch (lexer.kind(at)) {
      case SqlLexer.INTEGER,
          SqlLexer.BIGINT,
          SqlLexer.NUMERIC,
          SqlLexer.STRING,
          SqlLexer.ESCAPE_STRING,
          SqlLexer.DOLLAR_STRING ->
          true;
      case SqlLexer.WORD -> {
        Keyword k = lexer.keyword(at);
        yield k == Keyword.NULL || k == Keyword.TRUE || k == Keyword.FALSE;
      }
      default -> false;
    };
  }

  /** The statement of one tuple of parameters that stands for all. */
  static String representative(SqlLexer lexer, byte[] sql, int end, Tuples tuples) {
    var out = new StringBuilder();
    out.append(new String(sql, 0, lexer.end(tuples.firstTuple() - 1), StandardCharsets.UTF_8));
    for (int i = 1; i <= tuples.width(); i++) {
      out.append(i == 1 ? " ($" : ",$").append(i);
    }
    out.append(')');
    if (tuples.suffix() < end) {
      int from = lexer.start(tuples.suffix());
      out.append(' ')
          .append(new String(sql, from, lexer.end(end - 1) - from, StandardCharsets.UTF_8));
    }
    return out.toString();
  }

  // ---- the plan ----

  /** The plan of the representative for any number of tuples; null if it is not plain enough. */
  static @Nullable Template template(PlannedDml one, int width) {
    if (!(one.plan() instanceof DmlPlan.Insert insert)
        || !(insert.source().plan() instanceof PhysicalPlan.Values values)
        || values.rows().size() != 1
        || one.parameterTypes().size() != width) {
      return null;
    }
    List<Expr> row = values.rows().get(0);
    var given = new ArrayList<Expr>(row.size());
    var read = new ArrayList<Expr>(row.size());
    var literalTypes = new ArrayList<>(one.parameterTypes());
    int[] uses = new int[width];
    boolean plain = true;
    for (int i = 0; i < row.size(); i++) {
      Expr e = row.get(i);
      given.add(columns(e, width));
      int cell = cell(e, width);
      if (cell >= 0) {
        SqlType type = insert.table().columns().get(i).type();
        literalTypes.set(cell, type);
        read.add(new Expr.Column(cell, type));
      } else {
        read.add(e);
        plain &= !Exprs.any(e, x -> x instanceof Expr.Param p && p.index() < width);
      }
      count(e, uses);
    }
    for (int u : uses) {
      plain &= u == 1;
    }
    return new Template(
        with(insert, one.parameterTypes(), given),
        one.parameterTypes(),
        plain ? with(insert, literalTypes, read) : null,
        List.copyOf(literalTypes),
        one.literals());
  }

  private static void count(Expr e, int[] uses) {
    if (e instanceof Expr.Param p && p.index() < uses.length) {
      uses[p.index()]++;
    }
    Exprs.children(e).forEach(c -> count(c, uses));
  }

  /** The parameter that the expression is, perhaps with a length or precision applied; else -1. */
  private static int cell(Expr e, int width) {
    Expr own =
        e instanceof Expr.Call c
                && c.args().size() == 1
                && c.args().get(0).type().sameKind(c.type())
                && isModifier(c.function().signature())
            ? c.args().get(0)
            : e;
    return own instanceof Expr.Param p && p.index() < width ? p.index() : -1;
  }

  private static boolean isModifier(String signature) {
    String s = signature.toLowerCase(Locale.ROOT);
    return s.startsWith("cast(") || s.startsWith("assign(");
  }

  private static Expr columns(Expr e, int width) {
    return e instanceof Expr.Param p && p.index() < width
        ? new Expr.Column(p.index(), p.type())
        : Exprs.map(e, x -> columns(x, width));
  }

  private static DmlPlan.Insert with(DmlPlan.Insert insert, List<SqlType> cells, List<Expr> row) {
    PlanTemplate source = insert.source();
    PhysicalPlan rows = new PhysicalPlan.ParamRows(List.copyOf(cells), 0);
    boolean same = row.size() == cells.size();
    for (int i = 0; i < row.size() && same; i++) {
      same = row.get(i) instanceof Expr.Column c && c.index() == i;
    }
    var types = new ArrayList<>(cells);
    types.addAll(source.parameterTypes().subList(cells.size(), source.parameterTypes().size()));
    var template =
        new PlanTemplate(
            same ? rows : new PhysicalPlan.Project(rows, List.copyOf(row)),
            source.columns(),
            List.copyOf(types),
            source.inits(),
            source.tables());
    return new DmlPlan.Insert(
        insert.table(),
        template,
        insert.checks(),
        insert.conflict(),
        insert.replace(),
        insert.returning());
  }

  // ---- the values ----

  /** The statement with its parameters as columns of so many rows. */
  static PlannedDml ofParameters(Template t, Tuples tuples) {
    int width = tuples.width();
    int count = width * tuples.rows();
    List<SqlType> types = t.parameterTypes();
    var all =
        new AbstractList<SqlType>() {
          @Override
          public SqlType get(int index) {
            return types.get(index % width);
          }

          @Override
          public int size() {
            return count;
          }
        };
    return new PlannedDml(t.ofParameters(), all, t.slots(), tuples.rows());
  }

  /** The statement with its literals read; null if one must be analysed. */
  static @Nullable PlannedDml ofLiterals(Template t, Tuples tuples, SqlLexer lexer, Slots slots) {
    DmlPlan.Insert plan = t.ofLiterals();
    if (plan == null) {
      return null;
    }
    int width = tuples.width();
    int rows = tuples.rows();
    int[] cells = tuples.cells();
    var out = new ArrayList<Vector>(width + t.slots().size());
    for (int c = 0; c < width; c++) {
      SqlType type = t.literalTypes().get(c);
      VectorBuilder b = VectorBuilder.of(type, rows);
      TypeCodec codec = TypeCodecs.of(type);
      for (int r = 0, at = c; r < rows; r++, at += width) {
        int token = cells[at];
        byte kind = lexer.kind(token);
        boolean negated = kind == SqlLexer.OPERATOR;
        boolean ok =
            kind == SqlLexer.WORD
                ? word(lexer.keyword(token), b)
                : slots.append(negated ? token + 1 : token, negated, type, codec, b);
        if (!ok) {
          return null;
        }
      }
      out.add(b.build());
    }
    out.addAll(t.slots());
    return new PlannedDml(plan, List.of(), List.copyOf(out));
  }

  private static boolean word(@Nullable Keyword k, VectorBuilder b) {
    if (k == Keyword.NULL) {
      b.appendNull();
      return true;
    }
    if (b instanceof VectorBuilder.Bools x) {
      x.append(k == Keyword.TRUE);
      return true;
    }
    return false;
  }
}
