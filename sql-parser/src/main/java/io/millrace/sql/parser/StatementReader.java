package io.millrace.sql.parser;

import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.sql.parser.ast.Name;
import io.millrace.sql.parser.ast.Option;
import io.millrace.sql.parser.ast.ParsedExpression;
import io.millrace.sql.parser.ast.ParsedQuery;
import io.millrace.sql.parser.ast.PgSelect;
import io.millrace.sql.parser.ast.QualifiedName;
import io.millrace.sql.parser.ast.Statement;
import io.millrace.sql.parser.ast.TypeName;
import io.millrace.sql.parser.impl.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlWith;
import org.jspecify.annotations.Nullable;

/** Reads one statement of any kind: finds the reader of its kind by its first words. */
final class StatementReader {
  /** What can be called as {@code SELECT f(…)} too. */
  private static final Set<String> ADMIN_FUNCTIONS =
      Set.of(
          "build_index",
          "collect_garbage",
          "compact_region",
          "compact_table",
          "drop_damaged_sst",
          "flush_flow",
          "flush_region",
          "flush_table",
          "kill",
          "reload_config",
          "truncate_unflushed");

  private final Readers readers;
  private final Tokens tokens;
  private final TableReader tables;
  private final FlowReader flows;
  private final ObjectReader objects;
  private final SessionReader session;
  private final ShowReader show;

  StatementReader(Readers readers) {
    this.readers = readers;
    this.tokens = readers.tokens;
    OptionReader options = new OptionReader(readers);
    this.tables = new TableReader(readers, options);
    this.flows = new FlowReader(readers, options);
    this.objects = new ObjectReader(readers, options, tables);
    this.session = new SessionReader(readers);
    this.show = new ShowReader(readers);
  }

  Statement statement() throws ParseException {
    SqlToken first = tokens.peek();
    if (first.is(Keyword.WITH) ? readers.dml.atWith() : readers.dml.at(first)) {
      return readers.dml.statement();
    }
    if (first.is(Keyword.SELECT) && atAdminCall()) {
      return admin();
    }
    if (readers.atQuery() || first.is(Keyword.VALUES)) {
      return query();
    }
    if (!first.is(SqlLexer.WORD)) {
      throw tokens.error();
    }
    return switch (first.word()) {
      case "create" -> create();
      case "drop" -> drop();
      case "alter" -> alter();
      case "truncate" -> tables.truncate();
      case "rename" -> tables.rename();
      case "comment" -> objects.comment();
      case "grant", "revoke" -> objects.grant();
      case "reindex" -> objects.reindex();
      case "refresh" -> objects.refresh();
      case "copy" -> new CopyReader(readers).copy();
      case "explain" -> explain();
      case "show" -> show.show();
      case "desc", "describe" -> show.describe();
      case "admin" -> admin();
      case "call" -> call();
      case "do" -> doBlock();
      case "vacuum" -> vacuum();
      case "analyze", "analyse" -> analyze();
      case "prepare" -> prepare();
      case "execute" -> execute();
      case "reassign", "security", "import", "load" -> noEffect(first.word());
      default -> session.statement();
    };
  }

  private Statement query() throws ParseException {
    ParsedQuery query = readers.parsedQuery();
    SqlIdentifier into = intoOf(query.node());
    if (into != null) {
      return new Statement.CreateTableAs(
          new QualifiedName(into.names, into.getParserPosition().getColumnNum()),
          false,
          false,
          List.of(),
          null,
          List.of(),
          query,
          true,
          null);
    }
    return new Statement.Query(query);
  }

  /** The table that SELECT … INTO makes, taken out of the query; null if it makes none. */
  private static @Nullable SqlIdentifier intoOf(SqlNode query) {
    return switch (query) {
      case PgSelect s -> s.takeInto();
      case SqlOrderBy o -> intoOf(o.query);
      case SqlWith w -> intoOf(w.body);
      default -> null;
    };
  }

  private Statement create() throws ParseException {
    SqlToken first = tokens.next();
    boolean replace = tokens.orReplace();
    boolean local = tokens.accept("local") || tokens.accept("global");
    boolean temporary = tokens.accept("temporary") || tokens.accept("temp");
    boolean unlogged = !temporary && !local && tokens.accept("unlogged");
    boolean recursive = tokens.at("recursive", "view");
    if (recursive) {
      tokens.next();
    }
    SqlToken kind = tokens.peek();
    if (kind.isWord("view")) {
      return objects.createView(replace, temporary, recursive);
    }
    if (kind.isWord("flow")) {
      return flows.create(replace);
    }
    if (kind.isWord("sequence")) {
      return objects.createSequence(temporary);
    }
    if (replace) {
      return objects.createOther(first);
    }
    return switch (kind.word()) {
      case "table" -> tables.create(temporary, unlogged, false);
      case "external", "foreign" -> {
        tokens.next();
        yield tables.create(false, false, true);
      }
      default -> objects.create(first);
    };
  }

  private Statement drop() {
    tokens.next();
    if (tokens.at("flow")) {
      return flows.drop();
    }
    return objects.drop();
  }

  private Statement alter() throws ParseException {
    tokens.next();
    if (tokens.at("table")) {
      return tables.alter();
    }
    if (tokens.at("flow")) {
      return flows.alter();
    }
    return objects.alter();
  }

  private Statement explain() throws ParseException {
    tokens.next();
    if (tokens.at("flow")
        && tokens.peek(1).isName()
        && (tokens.peek(2).isEnd() || tokens.peek(2).is(SqlLexer.DOT))) {
      tokens.next();
      return new Statement.ExplainFlow(tokens.qualifiedName());
    }
    List<Option> options = new ArrayList<>();
    if (tokens.at(SqlLexer.LEFT_PAREN) && !readers.atQuery()) {
      tokens.next();
      do {
        SqlToken key = tokens.peek();
        tokens.label();
        String value = null;
        if (!tokens.at(SqlLexer.COMMA) && !tokens.at(SqlLexer.RIGHT_PAREN)) {
          value = tokens.peek().isString() ? tokens.string() : tokens.next().text();
        }
        options.add(
            new Option(
                key.word().equals("analyse") ? "analyze" : key.word(), value, key.beginColumn));
      } while (tokens.accept(SqlLexer.COMMA));
      tokens.expect(SqlLexer.RIGHT_PAREN);
    } else {
      SqlToken t = tokens.peek();
      if (tokens.accept(Keyword.ANALYZE) || tokens.accept(Keyword.ANALYSE)) {
        options.add(new Option("analyze", null, t.beginColumn));
      }
      t = tokens.peek();
      if (tokens.accept(Keyword.VERBOSE)) {
        options.add(new Option("verbose", null, t.beginColumn));
      }
      if (tokens.accept("plan")) {
        tokens.accept(Keyword.FOR);
      } else if (tokens.at("format") && tokens.peek(1).isLabel()) {
        t = tokens.next();
        options.add(new Option("format", tokens.label().text(), t.beginColumn));
      }
    }
    boolean analyze = false;
    boolean verbose = false;
    String format = "text";
    for (Option option : options) {
      switch (option.key()) {
        case "analyze" -> analyze = bool(option);
        case "verbose" -> verbose = bool(option);
        case "format" -> format = format(option);
        case "costs", "settings", "buffers", "wal", "timing", "summary" -> bool(option);
        default ->
            throw new MillraceException(
                    ErrorCode.SYNTAX_ERROR, "unrecognized EXPLAIN option \"" + option.key() + "\"")
                .at(option.position());
      }
    }
    SqlToken first = tokens.peek();
    Statement inner = statement();
    if (!isExplainable(inner)) {
      throw tokens.error(first);
    }
    return new Statement.Explain(analyze, verbose, format, options, inner);
  }

  private static boolean isExplainable(Statement s) {
    return s instanceof Statement.Query
        || s instanceof Statement.Insert
        || s instanceof Statement.Update
        || s instanceof Statement.Delete
        || s instanceof Statement.Merge
        || s instanceof Statement.CreateTableAs
        || s instanceof Statement.CreateMaterializedView
        || s instanceof Statement.DeclareCursor
        || s instanceof Statement.Execute;
  }

  private static boolean bool(Option option) {
    String value = option.value() == null ? "on" : option.value().toLowerCase(Locale.ROOT);
    return switch (value) {
      case "on", "true", "1" -> true;
      case "off", "false", "0" -> false;
      default ->
          throw new MillraceException(
                  ErrorCode.SYNTAX_ERROR, option.key() + " requires a Boolean value")
              .at(option.position());
    };
  }

  private static String format(Option option) {
    String value = option.value() == null ? "" : option.value().toLowerCase(Locale.ROOT);
    return switch (value) {
      case "text", "json" -> value;
      case "xml", "yaml" ->
          throw new MillraceException(
                  ErrorCode.FEATURE_NOT_SUPPORTED,
                  "EXPLAIN format \"" + value + "\" is not supported")
              .at(option.position())
              .withHint("Formats are text and json.");
      default ->
          throw new MillraceException(
                  ErrorCode.INVALID_PARAMETER_VALUE,
                  "unrecognized value for EXPLAIN option \"format\": \"" + value + "\"")
              .at(option.position());
    };
  }

  /** Whether {@code SELECT f(…)} is all of the statement, and f a function of ADMIN. */
  private boolean atAdminCall() {
    SqlToken function = tokens.peek(1);
    if (!function.is(SqlLexer.WORD)
        || !ADMIN_FUNCTIONS.contains(function.word())
        || !tokens.peek(2).is(SqlLexer.LEFT_PAREN)) {
      return false;
    }
    int depth = 1;
    int i = 3;
    for (; depth > 0 && !tokens.peek(i).isEnd(); i++) {
      depth += tokens.peek(i).is(SqlLexer.LEFT_PAREN) ? 1 : 0;
      depth -= tokens.peek(i).is(SqlLexer.RIGHT_PAREN) ? 1 : 0;
    }
    SqlToken after = tokens.peek(i);
    return depth == 0 && (after.isEnd() || after.is(SqlLexer.SEMICOLON));
  }

  /** ADMIN f(…), or SELECT f(…). */
  private Statement admin() throws ParseException {
    tokens.next();
    String function = tokens.label().text();
    return new Statement.Admin(function, arguments());
  }

  private Statement call() throws ParseException {
    tokens.next();
    return new Statement.Call(tokens.qualifiedName(), arguments());
  }

  private List<ParsedExpression> arguments() throws ParseException {
    List<ParsedExpression> arguments = new ArrayList<>();
    tokens.expect(SqlLexer.LEFT_PAREN);
    if (!tokens.at(SqlLexer.RIGHT_PAREN)) {
      do {
        SqlToken first = tokens.peek();
        SqlNode node = readers.calls.argument();
        arguments.add(new ParsedExpression(node, tokens.textFrom(first), first.beginColumn));
      } while (tokens.accept(SqlLexer.COMMA));
    }
    tokens.expect(SqlLexer.RIGHT_PAREN);
    return arguments;
  }

  private Statement doBlock() {
    tokens.next();
    String language = "plpgsql";
    if (tokens.accept("language")) {
      language = tokens.label().text();
    }
    String body = tokens.string();
    if (tokens.accept("language")) {
      language = tokens.label().text();
    }
    return new Statement.Do(body, language);
  }

  private Statement vacuum() {
    tokens.next();
    List<Option> options = maintenanceOptions("full", "freeze", "verbose", "analyze", "analyse");
    return new Statement.Vacuum(maintained(), options);
  }

  private Statement analyze() {
    tokens.next();
    List<Option> options = maintenanceOptions("verbose");
    tokens.accept(Keyword.TABLE);
    return new Statement.Analyze(maintained(), options);
  }

  private List<Option> maintenanceOptions(String... words) {
    List<Option> options = new ArrayList<>();
    if (tokens.accept(SqlLexer.LEFT_PAREN)) {
      do {
        SqlToken key = tokens.peek();
        tokens.label();
        String value =
            tokens.at(SqlLexer.COMMA) || tokens.at(SqlLexer.RIGHT_PAREN)
                ? null
                : tokens.next().text();
        options.add(new Option(key.word(), value, key.beginColumn));
      } while (tokens.accept(SqlLexer.COMMA));
      tokens.expect(SqlLexer.RIGHT_PAREN);
      return options;
    }
    for (String word : words) {
      SqlToken t = tokens.peek();
      if (tokens.accept(word)) {
        options.add(new Option(word, null, t.beginColumn));
      }
    }
    return options;
  }

  private List<QualifiedName> maintained() {
    List<QualifiedName> names = new ArrayList<>();
    if (tokens.peek().isEnd()) {
      return names;
    }
    do {
      names.add(tokens.qualifiedName());
      tokens.optionalNames();
    } while (tokens.accept(SqlLexer.COMMA));
    return names;
  }

  /** The words that a statement to prepare begins with. */
  private static final List<String> PREPARABLE =
      List.of(
          "select", "with", "values", "table", "insert", "replace", "update", "delete", "merge");

  private Statement prepare() throws ParseException {
    tokens.next();
    if (tokens.at("transaction")) {
      throw tokens.error(
          ErrorCode.FEATURE_NOT_SUPPORTED, "PREPARE TRANSACTION is not supported", tokens.peek());
    }
    Name name = tokens.name();
    List<TypeName> types = new ArrayList<>();
    if (tokens.accept(SqlLexer.LEFT_PAREN)) {
      do {
        types.add(readers.types.type());
      } while (tokens.accept(SqlLexer.COMMA));
      tokens.expect(SqlLexer.RIGHT_PAREN);
    }
    tokens.expect(Keyword.AS);
    SqlToken first = tokens.peek();
    if (!tokens.at(SqlLexer.LEFT_PAREN) && PREPARABLE.stream().noneMatch(tokens::at)) {
      throw tokens.error();
    }
    Statement inner = statement();
    return new Statement.Prepare(name, types, inner, tokens.textFrom(first));
  }

  private Statement execute() throws ParseException {
    tokens.next();
    Name name = tokens.name();
    return new Statement.Execute(name, tokens.at(SqlLexer.LEFT_PAREN) ? arguments() : List.of());
  }

  private Statement noEffect(String word) {
    while (!tokens.peek().isEnd()) {
      tokens.next();
    }
    return new Statement.NoEffect(word.toUpperCase(Locale.ROOT));
  }
}
