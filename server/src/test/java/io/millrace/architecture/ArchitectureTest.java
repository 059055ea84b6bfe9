package io.millrace.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;

/**
 * A rule that fails here is a rule of the design that the code has left: mend the code, not the
 * rule.
 */
@AnalyzeClasses(packages = "io.millrace", importOptions = ArchitectureTest.ProductCode.class)
class ArchitectureTest {

  /** Classes of the product, from folders or jars, whatever the name of the build folder. */
  static final class ProductCode implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("test-classes") && !location.contains("-tests.jar");
    }
  }

  private static final String COMMON = "io.millrace.common..";
  private static final String STORAGE = "io.millrace.storage..";
  private static final String SQL = "io.millrace.sql..";
  private static final String FLOW = "io.millrace.flow..";
  private static final String WIRE = "io.millrace.wire..";
  private static final String SERVER = "io.millrace.server..";
  private static final String[] NEVER_WAITS = {
    "io.millrace.sql.exec..", "io.millrace.server.session..", "io.millrace.server.statement.."
  };

  // ---- layers ----

  @ArchTest
  static final ArchRule common_knows_nobody = layer(COMMON, STORAGE, SQL, FLOW, WIRE, SERVER);

  @ArchTest
  static final ArchRule storage_knows_only_common = layer(STORAGE, SQL, FLOW, WIRE, SERVER);

  @ArchTest static final ArchRule sql_knows_common_and_storage = layer(SQL, FLOW, WIRE, SERVER);

  @ArchTest static final ArchRule flow_knows_common_storage_and_sql = layer(FLOW, WIRE, SERVER);

  @ArchTest
  static final ArchRule the_wire_knows_only_common = layer(WIRE, STORAGE, SQL, FLOW, SERVER);

  @ArchTest
  static final ArchRule storage_is_seen_through_its_door =
      noClasses()
          .that()
          .resideOutsideOfPackage(STORAGE)
          .should()
          .dependOnClassesThat(inside("io.millrace.storage"))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule flow_is_seen_through_its_door =
      noClasses()
          .that()
          .resideOutsideOfPackage(FLOW)
          .should()
          .dependOnClassesThat(inside("io.millrace.flow"))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule execution_never_imports_planning =
      noClasses()
          .that()
          .resideInAnyPackage("io.millrace.sql.exec..", "io.millrace.sql.physical..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.millrace.sql.plan..", "io.millrace.sql.rule..", "io.millrace.sql.parser..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule modules_are_free_of_cycles =
      slices().matching("io.millrace.(*)..").should().beFreeOfCycles();

  // ---- libraries, each wrapped by one place ----

  @ArchTest
  static final ArchRule calcite_stays_with_parser_and_planner =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.millrace.sql.parser..", "io.millrace.sql.plan..", "io.millrace.sql.rule..")
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("org.apache.calcite..")
                  .and(DescribedPredicate.not(resideInAnyPackage("org.apache.calcite.avatica.."))))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule avatica_stays_with_parser_planner_and_its_listener =
      library(
          "org.apache.calcite.avatica..",
          "io.millrace.sql.parser..",
          "io.millrace.sql.plan..",
          "io.millrace.sql.rule..",
          "io.millrace.wire.avatica..");

  @ArchTest static final ArchRule netty_stays_with_the_wire = library("io.netty..", WIRE);

  @ArchTest
  static final ArchRule parquet_stays_with_the_file_format =
      library("org.apache.parquet..", "io.millrace.storage.sst.parquet..");

  @ArchTest
  static final ArchRule hadoop_stays_with_the_file_format =
      library("org.apache.hadoop..", "io.millrace.storage.sst.parquet..");

  @ArchTest
  static final ArchRule toml_stays_with_the_configuration =
      library("tools.jackson.dataformat..", "io.millrace.server.config..");

  @ArchTest
  static final ArchRule logback_stays_with_the_configuration =
      library("ch.qos.logback..", "io.millrace.server.config..");

  @ArchTest
  static final ArchRule arrow_stays_at_the_edges =
      library("org.apache.arrow..", "io.millrace.common.batch.arrow..", WIRE);

  @ArchTest
  static final ArchRule aws_stays_with_the_object_store =
      library("software.amazon..", "io.millrace.storage.objectstore..");

  // ---- time, state, threads ----

  @ArchTest
  static final ArchRule nobody_sleeps =
      noClasses()
          .should()
          .callMethodWhere(calls("Thread.sleep and the like", Thread.class, "sleep", "onSpinWait"))
          .orShould()
          .callMethodWhere(calls("TimeUnit.sleep", java.util.concurrent.TimeUnit.class, "sleep"));

  @ArchTest
  static final ArchRule the_time_comes_from_the_clock =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.millrace.server.cli..", "io.millrace.bench..", "io.millrace.sqlness..")
          .and()
          .doNotHaveFullyQualifiedName("io.millrace.common.time.SystemClock")
          .and()
          .doNotHaveFullyQualifiedName("io.millrace.server.Main")
          .should()
          .callMethodWhere(
              calls("the system's time", System.class, "currentTimeMillis", "nanoTime"))
          .orShould()
          .callMethodWhere(readsWallClock());

  @ArchTest
  static final ArchRule static_fields_are_final =
      fields().that().areStatic().should().beFinal().as("no static field is ever assigned again");

  @ArchTest
  static final ArchRule static_fields_hold_no_state =
      noFields()
          .that()
          .areStatic()
          .should()
          .haveRawType(
              resideInAnyPackage("java.util.concurrent.atomic")
                  .or(assignableTo(Executor.class))
                  .or(assignableTo(ThreadLocal.class))
                  .or(assignableTo(java.util.concurrent.ConcurrentMap.class))
                  .or(assignableTo(java.util.AbstractCollection.class))
                  .or(assignableTo(java.util.AbstractMap.class)))
          .as(
              "no static field holds an executor, a counter, a thread's value or a collection that"
                  + " can change")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule nothing_runs_on_the_common_pool =
      noClasses()
          .should()
          .callMethodWhere(
              describe(
                  "an …Async method of CompletableFuture without an executor",
                  call ->
                      call.getTargetOwner().isAssignableTo(CompletableFuture.class)
                          && call.getName().endsWith("Async")
                          && call.getTarget().getRawParameterTypes().stream()
                              .noneMatch(type -> type.isAssignableTo(Executor.class))))
          .orShould()
          .callMethodWhere(
              describe(
                  "a parallel stream or the common pool",
                  (JavaMethodCall call) ->
                      Set.of("parallelStream", "parallel", "commonPool").contains(call.getName())
                          && call.getTargetOwner().getPackageName().startsWith("java.util")));

  @ArchTest
  static final ArchRule nothing_waits_on_the_pool_of_statements =
      noClasses()
          .that()
          .resideInAnyPackage(NEVER_WAITS)
          .should()
          .callMethodWhere(waits())
          .allowEmptyShould(true);

  // ---- habits ----

  @ArchTest
  static final ArchRule packages_say_that_null_is_the_exception =
      classes()
          .that()
          .haveSimpleName("package-info")
          .should()
          .beAnnotatedWith("org.jspecify.annotations.NullMarked");

  private static ArchRule layer(String from, String... forbidden) {
    return noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true);
  }

  private static ArchRule library(String library, String... homes) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(homes)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(library)
        .allowEmptyShould(true);
  }

  private static DescribedPredicate<JavaClass> inside(String door) {
    return describe("are inside " + door, type -> type.getPackageName().startsWith(door + "."));
  }

  private static DescribedPredicate<JavaMethodCall> calls(
      String what, Class<?> owner, String... names) {
    Set<String> methods = Set.of(names);
    return describe(
        what,
        call -> call.getTargetOwner().isEquivalentTo(owner) && methods.contains(call.getName()));
  }

  private static DescribedPredicate<JavaMethodCall> readsWallClock() {
    return describe(
        "a now() or system clock of java.time",
        call ->
            call.getTargetOwner().getPackageName().equals("java.time")
                && ((call.getName().equals("now")
                        && call.getTarget().getRawParameterTypes().isEmpty())
                    || call.getName().startsWith("system")));
  }

  private static DescribedPredicate<JavaMethodCall> waits() {
    Map<Class<?>, List<String>> waiting =
        Map.ofEntries(
            Map.entry(Thread.class, List.of("join", "sleep")),
            Map.entry(Object.class, List.of("wait")),
            Map.entry(Future.class, List.of("get", "join")),
            Map.entry(CountDownLatch.class, List.of("await")),
            Map.entry(CyclicBarrier.class, List.of("await")),
            Map.entry(
                Condition.class,
                List.of("await", "awaitNanos", "awaitUntil", "awaitUninterruptibly")),
            Map.entry(Semaphore.class, List.of("acquire", "acquireUninterruptibly")),
            Map.entry(Phaser.class, List.of("awaitAdvance", "arriveAndAwaitAdvance")),
            Map.entry(BlockingQueue.class, List.of("take", "put")),
            Map.entry(
                ExecutorService.class,
                List.of("awaitTermination", "invokeAll", "invokeAny", "close")),
            Map.entry(LockSupport.class, List.of("park", "parkNanos", "parkUntil")));
    return describe(
        "something that waits",
        call ->
            waiting.entrySet().stream()
                .anyMatch(
                    entry ->
                        entry.getValue().contains(call.getName())
                            && (entry.getKey() == Object.class
                                ? call.getTargetOwner().isEquivalentTo(Object.class)
                                : call.getTargetOwner().isAssignableTo(entry.getKey()))));
  }
}
