package io.millrace.sql.plan.analyse;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.PgSyntax.LockStrength;
import io.millrace.sql.parser.ast.PgSyntax.LockWait;
import io.millrace.sql.physical.DmlPlan.OnLocked;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.jspecify.annotations.Nullable;

/**
 * The locking clauses of one SELECT: which items of FROM they name, how strongly each is locked and
 * what is done about rows that others have. Of several clauses for one table the strongest counts,
 * and NOWAIT before SKIP LOCKED before waiting, as in PostgreSQL.
 */
final class RowLocks {
  /** How the rows of a table are locked. */
  record Lock(LockStrength strength, OnLocked onLocked) {
    boolean shared() {
      return strength == LockStrength.SHARE || strength == LockStrength.KEY_SHARE;
    }

    private static Lock stronger(@Nullable Lock a, Lock b) {
      if (a == null) {
        return b;
      }
      return new Lock(
          a.strength.compareTo(b.strength) >= 0 ? a.strength : b.strength,
          rank(a.onLocked) >= rank(b.onLocked) ? a.onLocked : b.onLocked);
    }

    private static int rank(OnLocked o) {
      return switch (o) {
        case WAIT -> 0;
        case SKIP -> 1;
        case FAIL -> 2;
      };
    }
  }

  private @Nullable Lock all;
  private final Map<String, Lock> named = new HashMap<>();
  private final Map<String, SqlNode> places = new HashMap<>();
  private final Set<String> nullable = new HashSet<>();
  private final SqlParserPos position;
  private final String name;

  /**
   * @param clauses calls of {@link io.millrace.sql.parser.ast.PgSyntax#LOCKING}
   */
  RowLocks(SqlNodeList clauses) {
    this.position = clauses.getParserPosition();
    String first = null;
    for (SqlNode n : clauses) {
      var c = (SqlCall) n;
      LockStrength strength = ((SqlLiteral) c.operand(0)).getValueAs(LockStrength.class);
      if (first == null) {
        first = "FOR " + strength.name().replace('_', ' ');
      }
      Lock lock =
          new Lock(
              strength,
              switch (((SqlLiteral) c.operand(2)).getValueAs(LockWait.class)) {
                case WAIT -> OnLocked.WAIT;
                case NOWAIT -> OnLocked.FAIL;
                case SKIP_LOCKED -> OnLocked.SKIP;
              });
      SqlNodeList of = c.operand(1);
      if (of.isEmpty()) {
        all = Lock.stronger(all, lock);
      }
      for (SqlNode t : of) {
        var id = (SqlIdentifier) t;
        if (!id.isSimple()) {
          throw Problems.error(
              ErrorCode.SYNTAX_ERROR,
              ExpressionAnalyser.position(t),
              first + " must specify unqualified relation names");
        }
        named.merge(id.getSimple(), lock, Lock::stronger);
        places.put(id.getSimple(), t);
      }
    }
    this.name = first == null ? "FOR UPDATE" : first;
  }

  /** The first clause as messages call it. */
  String name() {
    return name;
  }

  /** How an item of FROM is locked; null if it is not. */
  @Nullable Lock of(String alias) {
    Lock own = named.get(alias);
    Lock every = all;
    if (own == null) {
      return every;
    }
    return every == null ? own : Lock.stronger(every, own);
  }

  /** Notes which items stand on the side of an outer join that may be NULL. */
  void joins(@Nullable SqlNode from) {
    walk(from, false);
  }

  private void walk(@Nullable SqlNode node, boolean mayBeNull) {
    switch (node) {
      case SqlJoin j -> {
        boolean left = false;
        boolean right = false;
        switch (j.getJoinType()) {
          case LEFT -> right = true;
          case RIGHT -> left = true;
          case FULL -> {
            left = true;
            right = true;
          }
          default -> {}
        }
        walk(j.getLeft(), mayBeNull || left);
        walk(j.getRight(), mayBeNull || right);
      }
      case SqlIdentifier id -> note(id.names.get(id.names.size() - 1), mayBeNull);
      case SqlCall c when c.getKind() == SqlKind.AS ->
          note(((SqlIdentifier) c.operand(1)).getSimple(), mayBeNull);
      case null, default -> {}
    }
  }

  private void note(String alias, boolean mayBeNull) {
    if (mayBeNull) {
      nullable.add(alias);
    }
  }

  /** The names of FROM, each of which a clause may name. */
  void check(List<String> aliases) {
    for (var e : places.entrySet()) {
      if (!aliases.contains(e.getKey())) {
        throw Problems.error(
            ErrorCode.UNDEFINED_TABLE,
            ExpressionAnalyser.position(e.getValue()),
            "relation \"" + e.getKey() + "\" in " + name + " clause not found in FROM clause");
      }
    }
  }

  void requireLockable(String alias) {
    if (nullable.contains(alias)) {
      throw Problems.unsupported(
          0, name + " cannot be applied to the nullable side of an outer join");
    }
  }

  boolean isNamed(String alias) {
    return named.containsKey(alias);
  }

  int position(String alias) {
    SqlNode n = places.get(alias);
    return n == null ? position.getColumnNum() : ExpressionAnalyser.position(n);
  }

  /** Locks the rows of a sub-query in FROM as the clauses say: by clauses of its own. */
  void handDown(SqlNode query, String alias) {
    Lock lock = of(alias);
    SqlNode inner = query;
    while (inner instanceof org.apache.calcite.sql.SqlOrderBy o) {
      inner = o.query;
    }
    if (lock == null || !(inner instanceof PgSelect s) || s.locking() != null) {
      return;
    }
    requireLockable(alias);
    var clauses = new ArrayList<SqlNode>();
    clauses.add(
        io.millrace.sql.parser.ast.PgSyntax.LOCKING.createCall(
            position,
            SqlLiteral.createSymbol(lock.strength(), position),
            new SqlNodeList(position),
            SqlLiteral.createSymbol(
                switch (lock.onLocked()) {
                  case WAIT -> LockWait.WAIT;
                  case FAIL -> LockWait.NOWAIT;
                  case SKIP -> LockWait.SKIP_LOCKED;
                },
                position)));
    s.setLocking(new SqlNodeList(clauses, position));
  }
}
