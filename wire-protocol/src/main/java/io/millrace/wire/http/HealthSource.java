package io.millrace.wire.http;

import java.util.Map;

/** What /health tells. Called on an event loop: must not wait. */
public interface HealthSource {
  Health health();

  /**
   * The state of the server.
   *
   * @param ready whether it serves: 200, else 503
   * @param facts told beside the status, such as the version
   */
  record Health(boolean ready, Map<String, String> facts) {
    public Health {
      facts = Map.copyOf(facts);
    }
  }
}
