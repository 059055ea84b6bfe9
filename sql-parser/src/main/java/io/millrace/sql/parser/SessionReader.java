package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.Statement.FetchDirection;
import io.millrace.sql.parser.ast.Statement.TransactionModes;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what concerns the session: settings, transactions, cursors, notifications, locks. */
final class SessionReader {
  private final Readers readers;
  private final Tokens tokens;

  SessionReader(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
  }

  Statement statement() throws ParseException {
    SqlToken first = tokens.peek();
    switch (first.word()) {
      case "set":
        tokens.next();
        return set();
      case "reset":
        tokens.next();
        return reset();
      case "begin":
        tokens.next();
        transaction();
        return new Statement.Begin(modes());
      case "start":
        tokens.next();
        tokens.expect("transaction");
        return new Statement.Begin(modes());
      case "commit", "end":
        tokens.next();
        twoPhase(first);
        transaction();
        return new Statement.Commit(chain());
      case "rollback", "abort":
        tokens.next();
        twoPhase(first);
        return rollback();
      case "savepoint":
        tokens.next();
        return new Statement.Savepoint(tokens.name());
      case "release":
        tokens.next();
        savepointWord();
        return new Statement.ReleaseSavepoint(tokens.name());
      case "declare":
        tokens.next();
        return declare();
      case "fetch", "move":
        tokens.next();
        return fetch(first.isWord("move"));
      case "close":
        tokens.next();
        return new Statement.CloseCursor(tokens.accept(Keyword.ALL) ? null : tokens.name());
      case "deallocate":
        tokens.next();
        if (tokens.at("prepare") && !tokens.peek(1).isEnd()) {
          tokens.next();
        }
        return new Statement.Deallocate(tokens.accept(Keyword.ALL) ? null : tokens.name());
      case "discard":
        tokens.next();
        String what = tokens.oneOf("all", "plans", "sequences", "temporary", "temp");
        return new Statement.Discard(what.equals("temporary") ? "temp" : what);
      case "use":
        tokens.next();
        return new Statement.Use(tokens.label());
      case "listen":
        tokens.next();
        return new Statement.Listen(tokens.name());
      case "unlisten":
        tokens.next();
        return new Statement.Unlisten(tokens.acceptOperator("*") ? null : tokens.name());
      case "notify":
        tokens.next();
        Name channel = tokens.name();
        return new Statement.Notify(
            channel, tokens.accept(SqlLexer.COMMA) ? tokens.string() : null);
      case "lock":
        tokens.next();
        return lock();
      case "kill":
        tokens.next();
        return kill();
      case "checkpoint":
        tokens.next();
        return new Statement.Checkpoint();
      case "cluster":
        tokens.next();
        return cluster();
      default:
        throw tokens.error();
    }
  }

  // ---- settings ----

  private Statement set() {
    SqlToken first = tokens.peek();
    if (tokens.at("session", "characteristics")) {
      tokens.expect("session", "characteristics", "as", "transaction");
      return new Statement.SetTransaction(modes(), true, null);
    }
    if (first.isWord("transaction") && !isAssignment(1)) {
      tokens.next();
      if (tokens.accept("snapshot")) {
        return new Statement.SetTransaction(
            new TransactionModes(null, null, null), false, tokens.string());
      }
      return new Statement.SetTransaction(modes(), false, null);
    }
    if (first.isWord("constraints") && !isAssignment(1)) {
      tokens.next();
      if (!tokens.accept(Keyword.ALL)) {
        tokens.qualifiedNames();
      }
      return new Statement.SetConstraints(tokens.oneOf("deferred", "immediate").equals("deferred"));
    }
    boolean local = false;
    if ((first.isWord("local") || first.isWord("session")) && !isAssignment(1)) {
      tokens.next();
      local = first.isWord("local");
    }
    if (tokens.accept("transaction")) {
      return new Statement.SetTransaction(modes(), false, null);
    }
    return variable(local);
  }

  private boolean isAssignment(int n) {
    SqlToken t = tokens.peek(n);
    return t.isOperator("=") || t.is(Keyword.TO) || t.is(SqlLexer.DOT);
  }

  private Statement variable(boolean local) {
    if (!isAssignment(1)) {
      if (tokens.accept("time", "zone")) {
        return new Statement.SetVariable("timezone", zone(), local);
      }
      if (tokens.accept("session", "authorization") || tokens.accept("authorization")) {
        return new Statement.SetVariable("session_authorization", optionalValue("default"), local);
      }
      if (tokens.accept("names")) {
        return new Statement.SetVariable("client_encoding", optionalValue("default"), local);
      }
      if (tokens.accept("schema")) {
        return new Statement.SetVariable("search_path", List.of(tokens.string()), local);
      }
      if (tokens.accept("role")) {
        return new Statement.SetVariable("role", optionalValue("default"), local);
      }
      if (tokens.accept("xml", "option")) {
        return new Statement.SetVariable("xmloption", optionalValue("default"), local);
      }
    }
    String name = variableName();
    if (!tokens.acceptOperator("=")) {
      tokens.expect(Keyword.TO);
    }
    if (tokens.accept(Keyword.DEFAULT)) {
      return new Statement.SetVariable(name, List.of(), local);
    }
    List<String> values = new ArrayList<>();
    do {
      values.add(value());
    } while (tokens.accept(SqlLexer.COMMA));
    return new Statement.SetVariable(name, values, local);
  }

  private String variableName() {
    StringBuilder name = new StringBuilder(tokens.label().text());
    while (tokens.accept(SqlLexer.DOT)) {
      name.append('.').append(tokens.label().text());
    }
    return name.toString();
  }

  private List<String> zone() {
    if (tokens.accept(Keyword.DEFAULT) || tokens.accept("local")) {
      return List.of();
    }
    if (tokens.at(Keyword.INTERVAL)) {
      tokens.next();
      String text = tokens.string();
      while (tokens.peek().isLabel()) {
        tokens.next(); // HOUR TO MINUTE
      }
      return List.of(text);
    }
    return List.of(value());
  }

  private List<String> optionalValue(String none) {
    if (tokens.peek().isEnd() || tokens.accept(none)) {
      return List.of();
    }
    return List.of(value());
  }

  private String value() {
    SqlToken t = tokens.peek();
    if (t.isString()) {
      return tokens.string();
    }
    if (t.isOperator("-") || t.isOperator("+")) {
      tokens.next();
      SqlToken number = tokens.next();
      if (!number.isNumber()) {
        throw tokens.error(number);
      }
      return (t.isOperator("-") ? "-" : "") + number.text();
    }
    if (t.isNumber()) {
      return tokens.next().text();
    }
    StringBuilder word = new StringBuilder(tokens.label().text());
    while (tokens.accept(SqlLexer.DOT)) {
      word.append('.').append(tokens.label().text());
    }
    return word.toString();
  }

  private Statement reset() {
    if (tokens.accept(Keyword.ALL)) {
      return new Statement.ResetVariable(null);
    }
    if (tokens.accept("time", "zone")) {
      return new Statement.ResetVariable("timezone");
    }
    if (tokens.accept("session", "authorization")) {
      return new Statement.ResetVariable("session_authorization");
    }
    if (tokens.accept("transaction", "isolation", "level")) {
      return new Statement.ResetVariable("transaction_isolation");
    }
    return new Statement.ResetVariable(variableName());
  }

  // ---- transactions ----

  private void transaction() {
    if (!tokens.accept("work")) {
      tokens.accept("transaction");
    }
  }

  private void twoPhase(SqlToken first) {
    if (tokens.at("prepared")) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED, "two-phase commit is not supported", first);
    }
  }

  private boolean chain() {
    if (!tokens.accept(Keyword.AND)) {
      return false;
    }
    boolean no = tokens.accept("no");
    tokens.expect("chain");
    return !no;
  }

  private Statement rollback() {
    transaction();
    if (tokens.accept(Keyword.TO)) {
      savepointWord();
      return new Statement.RollbackToSavepoint(tokens.name());
    }
    return new Statement.Rollback(chain());
  }

  private void savepointWord() {
    if (tokens.at("savepoint") && tokens.peek(1).isName()) {
      tokens.next();
    }
  }

  private TransactionModes modes() {
    String isolation = null;
    Boolean readOnly = null;
    Boolean deferrable = null;
    while (!tokens.peek().isEnd()) {
      if (tokens.accept("isolation", "level")) {
        if (tokens.accept("serializable")) {
          isolation = "serializable";
        } else if (tokens.accept("repeatable", "read")) {
          isolation = "repeatable read";
        } else {
          tokens.expect("read");
          isolation = "read " + tokens.oneOf("committed", "uncommitted");
        }
      } else if (tokens.accept("read", "only")) {
        readOnly = true;
      } else if (tokens.accept("read", "write")) {
        readOnly = false;
      } else if (tokens.accept(Keyword.DEFERRABLE)) {
        deferrable = true;
      } else if (tokens.accept("not", "deferrable")) {
        deferrable = false;
      } else {
        throw tokens.error();
      }
      tokens.accept(SqlLexer.COMMA);
    }
    return new TransactionModes(isolation, readOnly, deferrable);
  }

  // ---- cursors ----

  private Statement declare() throws ParseException {
    Name name = tokens.name();
    boolean binary = false;
    boolean insensitive = false;
    Boolean scroll = null;
    while (!tokens.accept("cursor")) {
      if (tokens.accept(Keyword.BINARY)) {
        binary = true;
      } else if (tokens.accept("insensitive")) {
        insensitive = true;
      } else if (tokens.accept("asensitive")) {
        insensitive = false;
      } else if (tokens.accept("no", "scroll")) {
        scroll = false;
      } else {
        tokens.expect("scroll");
        scroll = true;
      }
    }
    boolean hold = tokens.accept("with", "hold");
    if (!hold) {
      tokens.accept("without", "hold");
    }
    tokens.expect(Keyword.FOR);
    if (!readers.atQuery()) {
      throw tokens.error();
    }
    ParsedQuery query = readers.parsedQuery();
    return new Statement.DeclareCursor(name, binary, insensitive, scroll, hold, query);
  }

  private Statement fetch(boolean move) {
    FetchDirection direction = FetchDirection.FORWARD;
    long count = 1;
    boolean named = tokens.peek(1).isEnd(); // FETCH cursor, whatever word it is
    if (!named) {
      if (tokens.accept("next")) {
        count = 1;
      } else if (tokens.accept("prior")) {
        direction = FetchDirection.BACKWARD;
      } else if (tokens.accept("first")) {
        direction = FetchDirection.ABSOLUTE;
      } else if (tokens.accept("last")) {
        direction = FetchDirection.ABSOLUTE;
        count = -1;
      } else if (tokens.accept("absolute")) {
        direction = FetchDirection.ABSOLUTE;
        count = count();
      } else if (tokens.accept("relative")) {
        direction = FetchDirection.RELATIVE;
        count = count();
      } else if (tokens.accept("forward")) {
        count = optionalCount();
      } else if (tokens.accept("backward")) {
        direction = FetchDirection.BACKWARD;
        count = optionalCount();
      } else {
        count = optionalCount();
      }
      if (!tokens.accept(Keyword.FROM)) {
        tokens.accept(Keyword.IN);
      }
    }
    if (count < 0 && direction == FetchDirection.FORWARD) {
      direction = FetchDirection.BACKWARD;
      count = -count;
    } else if (count < 0 && direction == FetchDirection.BACKWARD) {
      direction = FetchDirection.FORWARD;
      count = -count;
    }
    return new Statement.Fetch(move, direction, count, tokens.name());
  }

  private long optionalCount() {
    if (tokens.accept(Keyword.ALL)) {
      return Long.MAX_VALUE;
    }
    SqlToken t = tokens.peek();
    return t.isNumber() || t.isOperator("-") || t.isOperator("+") ? count() : 1;
  }

  private long count() {
    boolean negative = tokens.acceptOperator("-");
    if (!negative) {
      tokens.acceptOperator("+");
    }
    SqlToken t = tokens.peek();
    if (!t.isInteger()) {
      throw tokens.error();
    }
    tokens.next();
    long n = ExpressionReader.number(t).longValue(true);
    return negative ? -n : n;
  }

  // ---- the rest ----

  private Statement lock() {
    tokens.accept(Keyword.TABLE);
    List<QualifiedName> names = new ArrayList<>();
    do {
      tokens.accept(Keyword.ONLY);
      names.add(tokens.qualifiedName());
      tokens.acceptOperator("*");
    } while (tokens.accept(SqlLexer.COMMA));
    String mode = "access exclusive";
    if (tokens.accept(Keyword.IN)) {
      StringBuilder words = new StringBuilder();
      SqlToken first = tokens.peek();
      while (!tokens.at("mode")) {
        words.append(words.isEmpty() ? "" : " ").append(tokens.label().text());
      }
      tokens.next();
      mode = words.toString();
      switch (mode) {
        case "access share",
            "row share",
            "row exclusive",
            "share update exclusive",
            "share",
            "share row exclusive",
            "exclusive",
            "access exclusive" -> {}
        default -> throw tokens.error(first);
      }
    }
    return new Statement.LockTable(names, mode, tokens.accept("nowait"));
  }

  private Statement kill() {
    boolean query = tokens.accept("query");
    if (!query) {
      tokens.accept("connection");
    }
    SqlToken t = tokens.peek();
    if (t.isString()) {
      return new Statement.Kill(query, tokens.string());
    }
    if (!t.isInteger()) {
      throw tokens.error();
    }
    return new Statement.Kill(query, tokens.next().text());
  }

  private Statement cluster() {
    tokens.accept(Keyword.VERBOSE);
    @Nullable QualifiedName table = tokens.peek().isEnd() ? null : tokens.qualifiedName();
    if (tokens.accept(Keyword.USING)) {
      tokens.name();
    }
    return new Statement.Cluster(table);
  }
}
