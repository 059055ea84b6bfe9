package io.millrace.storage.memtable;

/** Stable merge sort of ints by a comparison, without boxing. */
public final class IntSort {
  /** Order of two ints. */
  public interface Order {
    int compare(int a, int b);
  }

  private IntSort() {}

  public static void sort(int[] a, int from, int to, Order order) {
    int n = to - from;
    if (n < 2) {
      return;
    }
    if (n <= 16) {
      insertion(a, from, to, order);
      return;
    }
    merge(a, from, to, new int[n / 2 + 1], order);
  }

  private static void insertion(int[] a, int from, int to, Order order) {
    for (int i = from + 1; i < to; i++) {
      int v = a[i];
      int j = i - 1;
      while (j >= from && order.compare(a[j], v) > 0) {
        a[j + 1] = a[j];
        j--;
      }
      a[j + 1] = v;
    }
  }

  private static void merge(int[] a, int from, int to, int[] tmp, Order order) {
    if (to - from <= 16) {
      insertion(a, from, to, order);
      return;
    }
    int mid = from + to >>> 1;
    merge(a, from, mid, tmp, order);
    merge(a, mid, to, tmp, order);
    if (order.compare(a[mid - 1], a[mid]) <= 0) {
      return;
    }
    int n = mid - from;
    System.arraycopy(a, from, tmp, 0, n);
    int i = 0;
    int j = mid;
    int k = from;
    while (i < n) {
      if (j < to && order.compare(a[j], tmp[i]) < 0) {
        a[k++] = a[j++];
      } else {
        a[k++] = tmp[i++];
      }
    }
  }
}
