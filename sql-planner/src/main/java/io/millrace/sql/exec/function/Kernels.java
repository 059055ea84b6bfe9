package io.millrace.sql.exec.function;

/** Puts the built-in kernels, family by family, into a registry. */
final class Kernels {
  private Kernels() {}

  static void register(FunctionRegistry.Builder b) {
    IntegerMath.register(b);
    FloatMath.register(b);
    NumericMath.register(b);
  }
}
