package io.millrace.sql.exec.operator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Tuples of words to dense group numbers.
 * Radix-partitioned: the upper eight bits of the hash name one of 256 open-addressing tables, each
 * of which grows by itself, so that no growth step is long and arrays stay small. A slot holds 32
 * bits of hash and the group number + 1; the tuples themselves lie column by column in pages.
 */
/** An open-addressing hash table over tuples of words. */
final class GroupTable {
  private static final int PARTITIONS = 256;
  private static final int PAGE_SHIFT = 12;
  private static final int PAGE = 1 << PAGE_SHIFT;
  private static final int FIRST = 16;

  private final int width;
  private final long[] @Nullable [] slots = new long[PARTITIONS][];
  private final int[] counts = new int[PARTITIONS];
  private long[][] pages = new long[8][];
  private int size;
  private long bytes;

  GroupTable(int width) {
    this.width = width;
  }

  int size() {
    return size;
  }

  long byteSize() {
    return bytes + PARTITIONS * 12L;
  }

  /** Word w of a group's tuple. */
  long word(int group, int w) {
    return pages[group >>> PAGE_SHIFT][(group & PAGE - 1) * width + w];
  }

  private static long mix(long h) {
    h *= 0xBF58476D1CE4E5B9L;
    h ^= h >>> 32;
    h *= 0x94D049BB133111EBL;
    return h ^ h >>> 29;
  }

  private int hash(long[] words, int at) {
    // One multiplication per word, one good mix at the end.
    long h = words[at];
    for (int w = 1; w < width; w++) {
      h = (h ^ h >>> 32) * 0x9E3779B97F4A7C15L + words[at + w];
    }
    return (int) (mix(h + 0x9E3779B97F4A7C15L) >>> 32);
  }

  /** Groups of the tuples words[0, count × width); unknown tuples are added, or give -1. */
  void lookup(long[] words, int count, int[] groups, boolean add) {
    for (int i = 0; i < count; i++) {
      groups[i] = lookup(words, i * width, add);
    }
  }

  int lookup(long[] words, int at, boolean add) {
    int h = hash(words, at);
    int p = h >>> 24;
    long[] s = slots[p];
    if (s == null) {
      if (!add) {
        return -1;
      }
      s = new long[FIRST];
      slots[p] = s;
      bytes += FIRST * 8L;
    }
    int mask = s.length - 1;
    int i = h & mask;
    long slot;
    while ((slot = s[i]) != 0) {
      if ((int) (slot >>> 32) == h) {
        int g = (int) slot - 1;
        if (equal(g, words, at)) {
          return g;
        }
      }
      i = i + 1 & mask;
    }
    if (!add) {
      return -1;
    }
    int g = append(words, at);
    s[i] = (long) h << 32 | g + 1;
    if (++counts[p] * 4 > s.length * 3) {
      grow(p, s);
    }
    return g;
  }

  private boolean equal(int g, long[] words, int at) {
    long[] page = pages[g >>> PAGE_SHIFT];
    int base = (g & PAGE - 1) * width;
    for (int w = 0; w < width; w++) {
      if (page[base + w] != words[at + w]) {
        return false;
      }
    }
    return true;
  }

  private int append(long[] words, int at) {
    int g = size++;
    int p = g >>> PAGE_SHIFT;
    if (p == pages.length) {
      pages = Arrays.copyOf(pages, p * 2);
    }
    long[] page = pages[p];
    int base = (g & PAGE - 1) * width;
    if (page == null || base + width > page.length) {
      int length =
          page == null && p > 0
              ? PAGE * width
              : Math.min(PAGE * width, page == null ? 64 * width : page.length * 2);
      bytes += (length - (page == null ? 0 : page.length)) * 8L;
      page = page == null ? new long[length] : Arrays.copyOf(page, length);
      pages[p] = page;
    }
    System.arraycopy(words, at, page, base, width);
    return g;
  }

  private void grow(int p, long[] old) {
    // Small tables grow faster: there are many of them, and each move is a miss of the cache.
    long[] s = new long[old.length < 1024 ? old.length * 4 : old.length * 2];
    bytes += (s.length - old.length) * 8L;
    int mask = s.length - 1;
    for (long slot : old) {
      if (slot != 0) {
        int i = (int) (slot >>> 32) & mask;
        while (s[i] != 0) {
          i = i + 1 & mask;
        }
        s[i] = slot;
      }
    }
    slots[p] = s;
  }
}
