package io.millrace.sql.exec.function;

import io.millrace.common.batch.Vector;
import io.millrace.common.error.ErrorCode;
import io.millrace.common.error.MillraceException;
import io.millrace.common.type.SqlType;
import io.millrace.sql.physical.FunctionId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Implementations by {@link FunctionId}; immutable. The built-in ones come with {@link #builder};
 * packages that own functions over the catalog or the session add theirs before {@link
 * Builder#build}.
 */
public final class FunctionRegistry {
  private static final String TRIED = "trycast(";

  private final Map<String, ScalarKernel.Factory> scalars;
  private final Map<String, AggregateKernel.Factory> aggregates;
  private final Map<String, WindowKernel.Factory> windows;
  private final Map<String, SetKernel.Factory> sets;

  private FunctionRegistry(Builder b) {
    scalars = Map.copyOf(b.scalars);
    aggregates = Map.copyOf(b.aggregates);
    windows = Map.copyOf(b.windows);
    sets = Map.copyOf(b.sets);
  }

  /** A builder that holds all built-in kernels. */
  public static Builder builder() {
    var b = new Builder();
    Kernels.register(b);
    return b;
  }

  public ScalarKernel scalar(FunctionId id, List<SqlType> argumentTypes, SqlType resultType) {
    String signature = id.signature();
    ScalarKernel.Factory factory = scalars.get(signature);
    if (factory == null && isCast(signature)) {
      boolean tried = signature.startsWith(TRIED);
      ScalarKernel cast =
          Casts.bind(argumentTypes.getFirst(), resultType, tried || signature.startsWith("cast("));
      return tried ? new TryCast(cast, resultType) : cast;
    }
    return require(factory, id).bind(argumentTypes, resultType);
  }

  private static boolean isCast(String signature) {
    return signature.startsWith("cast(")
        || signature.startsWith("assign(")
        || signature.startsWith(TRIED);
  }

  public AggregateKernel aggregate(
      FunctionId id, List<SqlType> argumentTypes, SqlType resultType, List<Vector> direct) {
    return require(aggregates.get(id.signature()), id).bind(argumentTypes, resultType, direct);
  }

  public WindowKernel window(FunctionId id, List<SqlType> argumentTypes, SqlType resultType) {
    return require(windows.get(id.signature()), id).bind(argumentTypes, resultType);
  }

  public SetKernel set(FunctionId id, List<SqlType> argumentTypes, SqlType resultType) {
    return require(sets.get(id.signature()), id).bind(argumentTypes, resultType);
  }

  public boolean isScalar(FunctionId id) {
    return scalars.containsKey(id.signature()) || isCast(id.signature());
  }

  public boolean isAggregate(FunctionId id) {
    return aggregates.containsKey(id.signature());
  }

  public boolean isWindow(FunctionId id) {
    return windows.containsKey(id.signature());
  }

  public boolean isSet(FunctionId id) {
    return sets.containsKey(id.signature());
  }

  /** Signatures of all kernels, sorted. */
  public Set<String> signatures() {
    var out = new TreeSet<String>();
    out.addAll(scalars.keySet());
    out.addAll(aggregates.keySet());
    out.addAll(windows.keySet());
    out.addAll(sets.keySet());
    return out;
  }

  private static <T> T require(@Nullable T factory, FunctionId id) {
    if (factory == null) {
      throw new MillraceException(
          ErrorCode.UNDEFINED_FUNCTION, "function " + id.signature() + " has no implementation");
    }
    return factory;
  }

  /** Collects kernels by signature; a signature may be given once per kind. */
  public static final class Builder {
    private final Map<String, ScalarKernel.Factory> scalars = new HashMap<>();
    private final Map<String, AggregateKernel.Factory> aggregates = new HashMap<>();
    private final Map<String, WindowKernel.Factory> windows = new HashMap<>();
    private final Map<String, SetKernel.Factory> sets = new HashMap<>();

    private Builder() {}

    public Builder scalar(String signature, ScalarKernel.Factory factory) {
      return add(scalars, signature, factory);
    }

    /** A kernel that depends on no types and keeps no state. */
    public Builder simple(String signature, ScalarKernel kernel) {
      return add(scalars, signature, (_, _) -> kernel);
    }

    public Builder aggregate(String signature, AggregateKernel.Factory factory) {
      return add(aggregates, signature, factory);
    }

    public Builder window(String signature, WindowKernel.Factory factory) {
      return add(windows, signature, factory);
    }

    public Builder set(String signature, SetKernel.Factory factory) {
      return add(sets, signature, factory);
    }

    public FunctionRegistry build() {
      return new FunctionRegistry(this);
    }

    private <T> Builder add(Map<String, T> map, String signature, T factory) {
      if (map.putIfAbsent(signature, factory) != null) {
        throw new IllegalStateException("two kernels for " + signature);
      }
      return this;
    }
  }
}
