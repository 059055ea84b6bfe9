package io.millrace.wire.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.EchoSession;
import io.millrace.wire.ProcessIds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpServerTest {
  private final EchoSession.Handler handler = new EchoSession.Handler();
  private volatile boolean healthy = true;
  private HttpServer server = start(HttpConfig.of("127.0.0.1", 0));
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpServer start(HttpConfig config) {
    return HttpServer.start(
        config,
        handler,
        () -> new HealthSource.Health(healthy, Map.of("version", "1")),
        () -> "millrace_up 1\n",
        new ProcessIds());
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
        .timeout(Duration.ofSeconds(20));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String type, String body)
      throws IOException, InterruptedException {
    return send(
        to("/v1/sql").header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void healthTellsWhetherTheServerServes() throws Exception {
    var ok = send(to("/health"));
    assertThat(ok.statusCode()).isEqualTo(200);
    assertThat(ok.body()).isEqualTo("{\"status\":\"ok\",\"version\":\"1\"}\n");
    healthy = false;
    assertThat(send(to("/health")).statusCode()).isEqualTo(503);
  }

  @Test
  void metricsAreText() throws Exception {
    var metrics = send(to("/metrics"));
    assertThat(metrics.body()).isEqualTo("millrace_up 1\n");
    assertThat(metrics.headers().firstValue("content-type").orElse("")).startsWith("text/plain");
  }

  @Test
  void unknownPathsAndMethodsAreRefused() throws Exception {
    assertThat(send(to("/x")).statusCode()).isEqualTo(404);
    assertThat(send(to("/v1/sql").DELETE()).statusCode()).isEqualTo(405);
  }

  @Test
  void statementComesInEveryForm() throws Exception {
    String expected =
        "{\"columns\":[{\"name\":\"?column?\",\"type\":\"bigint\"}],\"rows\":[[7]],"
            + "\"tag\":\"SELECT 1\"}\n";
    assertThat(post("application/json", "{\"sql\": \"SELECT 7\"}").body()).isEqualTo(expected);
    assertThat(post("text/plain; charset=utf-8", "SELECT 7").body()).isEqualTo(expected);
    assertThat(post("application/x-www-form-urlencoded", "sql=SELECT+7").body())
        .isEqualTo(expected);
    assertThat(send(to("/v1/sql?sql=SELECT%207")).body()).isEqualTo(expected);
    Awaitility.await().until(() -> handler.disconnected.get() == 4);
  }

  @Test
  void parametersAndQuotingSurvive() throws Exception {
    var r =
        post(
            "application/json",
            "{\"sql\": \"SELECT $1, $2, $3\", \"params\": [\"ä\\\"\\\\\\n\\u0001\", null, 5]}");
    assertThat(r.body()).contains("\"rows\":[[\"ä\\\"\\\\\\n\\u0001\",null,\"5\"]]");
  }

  @Test
  void errorsCarryTheSqlstate() throws Exception {
    var r = post("text/plain", "fail");
    assertThat(r.statusCode()).isEqualTo(400);
    assertThat(r.body())
        .startsWith("{\"error\":{\"sqlstate\":\"42601\",\"message\":\"syntax error")
        .contains("\"position\":1");
    assertThat(post("application/json", "{").statusCode()).isEqualTo(400);
    assertThat(post("application/json", "{}").statusCode()).isEqualTo(400);
    assertThat(post("text/plain", " ").statusCode()).isEqualTo(400);
    assertThat(post("image/png", "x").statusCode()).isEqualTo(400);
    assertThat(post("application/json", "{\"sql\":\"SELECT 1\",\"database\":\"nowhere\"}").body())
        .contains("3D000");
    assertThat(post("text/plain", "SELECT 7").statusCode()).isEqualTo(200);
  }

  @Test
  void noticesStandBesideTheResult() throws Exception {
    assertThat(post("text/plain", "notice").body())
        .isEqualTo(
            "{\"columns\":[],\"rows\":[],\"tag\":\"NOTICE\",\"notices\":[{\"severity\":\"NOTICE\","
                + "\"sqlstate\":\"00000\",\"message\":\"a notice\"}]}\n");
  }

  @Test
  void copyIsRefused() throws Exception {
    assertThat(post("text/plain", "copy in").body()).contains("0A000");
    assertThat(post("text/plain", "copy out 5").body()).contains("0A000");
    assertThat(post("text/plain", "SELECT 7").statusCode()).isEqualTo(200);
  }

  private HttpResponse<String> arrow(String query, String body)
      throws IOException, InterruptedException {
    return send(to("/v1/arrow" + query).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void rowsForATableAreACopyOfTheBody() throws Exception {
    assertThat(arrow("?table=public.t&columns=a,b", "some rows").body()).contains("\"COPY ");
    assertThat(arrow("?table=public.t&columns=a,b", "some rows").statusCode()).isEqualTo(200);
    assertThat(arrow("", "some rows").statusCode()).isEqualTo(400);
    assertThat(arrow("?table=t", "no Arrow").body()).contains("malformed Arrow data");
    assertThat(send(to("/v1/arrow?table=t")).statusCode()).isEqualTo(405);
  }

  @Test
  void longResultIsStreamed() throws Exception {
    var r = post("text/plain", "rows 300000");
    assertThat(r.headers().firstValue("transfer-encoding")).contains("chunked");
    assertThat(r.body()).endsWith("],\"tag\":\"SELECT 300000\"}\n").contains("[300000,");
    assertThat(r.body().chars().filter(c -> c == '[').count()).isEqualTo(300_002);
  }

  @Test
  void pagesOfOtherSitesAreRefused() throws Exception {
    var r =
        send(
            to("/v1/sql")
                .header("Origin", "http://elsewhere.example")
                .POST(HttpRequest.BodyPublishers.ofString("SELECT 7")));
    assertThat(r.statusCode()).isEqualTo(403);
    var own =
        send(
            to("/v1/sql")
                .header("Origin", "http://127.0.0.1:" + server.port())
                .POST(HttpRequest.BodyPublishers.ofString("SELECT 7")));
    assertThat(own.statusCode()).isEqualTo(200);
  }

  private String raw(String text) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws Exception {
    String r =
        raw(
            "GET /v1/sql?sql=SELECT%205 HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET /v1/sql?sql=SELECT%206 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(r).containsSubsequence("[[5]]", "\"status\":\"ok\"", "[[6]]");
  }

  @Test
  void bodyOverTheLimitIsRefused() throws Exception {
    String r =
        raw(
            "POST /v1/sql HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n"
                + "Connection: close\r\n\r\n");
    assertThat(r).startsWith("HTTP/1.1 413");
  }

  @Test
  void chunkedBodyIsPutTogether() throws Exception {
    String r =
        raw(
            "POST /v1/sql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                + "Connection: close\r\n\r\n3\r\nSEL\r\n5\r\nECT 7\r\n0\r\n\r\n");
    assertThat(r).contains("[[7]]");
  }

  @Test
  void slowAndSilentClientsAreClosedAtTheDeadline() throws Exception {
    server.close();
    server = start(new HttpConfig("127.0.0.1", 0, 1 << 20, 1 << 22, 10, Duration.ofMillis(300)));
    assertThat(raw("GET /health HT")).isEmpty();
    assertThat(raw("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")).contains("ok");
  }

  @Test
  void garbageIsRefused() throws Exception {
    assertThat(raw("\u0016\u0003\u0001 nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
  }

  @Test
  void clientThatLeavesStopsItsStatement() throws Exception {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket
          .getOutputStream()
          .write(
              "GET /v1/sql?sql=wait HTTP/1.1\r\nHost: x\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      handler.waiting.acquire();
    }
    Awaitility.await().until(() -> handler.disconnected.get() == 1);
  }
}
