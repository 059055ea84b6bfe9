package io.millrace.wire.pg.auth;

/** Lets everybody in as whom they say they are: for loopback. */
public final class TrustAuthenticator implements Authenticator {
  @Override
  public Exchange begin(String user, String database, Peer peer) {
    return _ -> new Step.Accepted();
  }
}
