package io.millrace.server.cli;

import io.millrace.common.error.MillraceException;
import io.millrace.storage.EngineConfig;
import io.millrace.storage.RegionEngine;
import io.millrace.storage.RegionEngines;
import java.nio.file.Path;

/**
 * Accepts the loss of what lies behind damage in the log, so that the regions concerned open again.
 * Takes the data folder. Exit codes: 0 done, 1 failed.
 */
public final class RepairWal {
  private RepairWal() {}

  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("usage: repair-wal DATA_FOLDER");
      System.exit(2);
      return;
    }
    try {
      RegionEngine engine =
          RegionEngines.repair(
              Path.of(args[0]), EngineConfig.DEFAULT, RegionEngines.localEnvironment(1));
      int regions = engine.regions().size();
      engine.close();
      System.out.println(
          "The log is accepted as it is; "
              + regions
              + " regions open. What could not be read is kept in "
              + Path.of(args[0], "wal-damaged")
              + ".");
    } catch (MillraceException e) {
      System.err.println("millrace: " + e.message());
      System.exit(1);
    }
  }
}
