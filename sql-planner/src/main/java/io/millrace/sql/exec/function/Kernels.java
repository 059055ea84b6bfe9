package io.millrace.sql.exec.function;

/** Puts the built-in kernels, family by family, into a registry. */
final class Kernels {
  private Kernels() {}

  static void register(FunctionRegistry.Builder b) {
    IntegerMath.register(b);
    FloatMath.register(b);
    NumericMath.register(b);
    FormatKernels.register(b);
    CollectAggregates.register(b);
    StatAggregates.register(b);
    JsonKernels.register(b);
    WindowKernels.register(b);
    ChoiceAggregates.register(b);
    SumAggregates.register(b);
    RateAggregates.register(b);
    SetKernels.register(b);
    MiscKernels.register(b);
    ArrayKernels.register(b);
    TruncateKernels.register(b);
    ExtractKernels.register(b);
    TimeKernels.register(b);
    BinaryKernels.register(b);
    TextKernels.register(b);
    PatternKernels.register(b);
    Sketches.register(b);
    PercentileSketch.register(b);
    JsonReads.register(b);
    CompatTime.register(b);
    CompatText.register(b);
    AnomalyScores.register(b);
    VectorKernels.register(b);
    NetworkKernels.register(b);
    GeohashKernels.register(b);
    DecimalPlaces.register(b);
    Identifiers.register(b);
  }
}
