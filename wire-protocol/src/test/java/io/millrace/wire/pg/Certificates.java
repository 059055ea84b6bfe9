package io.millrace.wire.pg;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate for localhost that signs itself, made by the JDK's keytool, as PEM files. */
record Certificates(Path certificate, Path key) {
  private static final char[] PASSWORD = "secret".toCharArray();

  static Certificates make(Path folder, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    Process p =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .start();
    String said = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (p.waitFor() != 0) {
      throw new IOException(said);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    var out = new Certificates(folder.resolve("server.crt"), folder.resolve("server.key"));
    out.write(out.certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
    out.write(out.key, "PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded());
    return out;
  }

  private void write(Path file, String what, byte[] der) throws IOException {
    String base64 =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    Files.write(
        file, List.of("-----BEGIN " + what + "-----", base64, "-----END " + what + "-----"));
  }
}
