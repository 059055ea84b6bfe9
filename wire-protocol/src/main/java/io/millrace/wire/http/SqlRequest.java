package io.millrace.wire.http;

import io.millrace.common.batch.arrow.ArrowReader;
import io.millrace.common.error.MillraceException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A statement to run, from the query string, a form, a JSON object ({@code sql}, {@code database},
 * {@code params}) or plain text.
 */
record SqlRequest(String sql, String database, List<@Nullable String> parameters) {
  static final String DEFAULT_DATABASE = "millrace";

  /** A request that makes no sense; the message is for the client. */
  static final class BadRequest extends Exception {
    private static final long serialVersionUID = 1L;

    BadRequest(String message) {
      super(message);
    }
  }

  static SqlRequest read(Request request, JsonMapper json) throws BadRequest {
    Map<String, List<String>> query = new QueryStringDecoder(request.head().uri()).parameters();
    if (!request.head().method().equals(HttpMethod.POST)) {
      return fromForm(query);
    }
    String body = new String(request.body(), StandardCharsets.UTF_8);
    CharSequence declared = HttpUtil.getMimeType(request.head());
    String type = declared == null ? "" : declared.toString().toLowerCase(Locale.ROOT);
    return switch (type) {
      case "application/json" -> fromJson(body, query, json);
      case "application/x-www-form-urlencoded" ->
          fromForm(new QueryStringDecoder(body, StandardCharsets.UTF_8, false, 64).parameters());
      case "", "text/plain", "application/sql" -> checked(body, database(query), List.of());
      default ->
          throw new BadRequest(
              "content type "
                  + request.head().headers().get(HttpHeaderNames.CONTENT_TYPE)
                  + " is none of application/json, application/x-www-form-urlencoded, text/plain");
    };
  }

  /** The COPY that takes the body: into the query string's table, and its columns or the body's. */
  static SqlRequest ofArrow(Request request) throws BadRequest {
    Map<String, List<String>> query = new QueryStringDecoder(request.head().uri()).parameters();
    List<String> table = query.get("table");
    if (table == null || table.getFirst().isBlank()) {
      throw new BadRequest("no table: give it as \"table\"");
    }
    var sql = new StringBuilder("COPY ");
    sql.append(quoted(table.getFirst().split("\\.", -1), "."));
    String[] columns;
    try {
      columns =
          query.containsKey("columns")
              ? query.get("columns").getFirst().split(",", -1)
              : ArrowReader.names(request.body()).toArray(new String[0]);
    } catch (MillraceException e) {
      throw new BadRequest(e.message());
    }
    if (columns.length > 0) {
      sql.append(" (").append(quoted(columns, ", ")).append(')');
    }
    return new SqlRequest(
        sql.append(" FROM STDIN WITH (FORMAT arrow)").toString(), database(query), List.of());
  }

  private static String quoted(String[] names, String between) {
    var out = new ArrayList<String>();
    for (String n : names) {
      out.add('"' + n.strip().replace("\"", "\"\"") + '"');
    }
    return String.join(between, out);
  }

  private static SqlRequest fromForm(Map<String, List<String>> form) throws BadRequest {
    List<String> sql = form.get("sql");
    List<String> parameters = form.getOrDefault("param", List.of());
    return checked(
        sql == null ? "" : sql.getFirst(),
        database(form),
        new ArrayList<@Nullable String>(parameters));
  }

  private static String database(Map<String, List<String>> form) {
    List<String> database = form.containsKey("database") ? form.get("database") : form.get("db");
    return database == null ? DEFAULT_DATABASE : database.getFirst();
  }

  private static SqlRequest fromJson(String body, Map<String, List<String>> query, JsonMapper json)
      throws BadRequest {
    JsonNode root;
    try {
      root = json.readTree(body);
    } catch (JacksonException e) {
      throw new BadRequest("the body is not JSON: " + e.getOriginalMessage());
    }
    if (!root.isObject() || !root.path("sql").isString()) {
      throw new BadRequest("the body must be a JSON object with the string \"sql\"");
    }
    JsonNode given = root.path("params");
    var parameters = new ArrayList<@Nullable String>();
    if (given.isArray()) {
      for (JsonNode p : given) {
        parameters.add(p.isNull() ? null : p.isString() ? p.stringValue() : p.toString());
      }
    } else if (!given.isMissingNode() && !given.isNull()) {
      throw new BadRequest("\"params\" must be an array");
    }
    JsonNode database = root.path("database");
    return checked(
        root.path("sql").stringValue(),
        database.isString() ? database.stringValue() : database(query),
        parameters);
  }

  private static SqlRequest checked(String sql, String database, List<@Nullable String> parameters)
      throws BadRequest {
    if (sql.isBlank()) {
      throw new BadRequest("no statement: give it as \"sql\"");
    }
    return new SqlRequest(sql, database, parameters);
  }
}
