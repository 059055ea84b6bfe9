package io.millrace.common.batch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian words in byte arrays. */
public final class Words {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  public static long getLong(byte[] b, int at) {
    return (long) LONG.get(b, at);
  }

  public static int getInt(byte[] b, int at) {
    return (int) INT.get(b, at);
  }

  public static void putLong(byte[] b, int at, long v) {
    LONG.set(b, at, v);
  }

  public static void putInt(byte[] b, int at, int v) {
    INT.set(b, at, v);
  }
}
