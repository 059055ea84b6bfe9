package io.millrace.storage.sst.index;

import io.millrace.storage.codec.ByteReader;
import io.millrace.storage.codec.ByteWriter;

/**
 * A blocked Bloom filter over 64-bit hashes: all bits of an entry lie in one block of 512 bits, a
 * cache line, so that a question costs one miss. Blocking makes wrong answers a little more
 * frequent than in a plain filter of the same size, which {@link #sized} makes good with a tenth
 * more bits. Filled by one thread, then read by any.
 */
final class BloomFilter {
  private static final int BLOCK_WORDS = 8;
  private static final int BLOCK_BITS = 512;
  private static final double LN2 = Math.log(2);

  private final long[] words;
  private final int hashes;

  private BloomFilter(long[] words, int hashes) {
    this.words = words;
    this.hashes = hashes;
  }

  /** For so many keys with so many bits each. */
  static BloomFilter ofBits(int keys, double bitsPerKey) {
    long bits = Math.max(1, (long) Math.ceil(keys * bitsPerKey));
    int blocks = Math.toIntExact((bits + BLOCK_BITS - 1) / BLOCK_BITS);
    int hashes = Math.clamp(Math.round(bitsPerKey * LN2), 1, 16);
    return new BloomFilter(new long[blocks * BLOCK_WORDS], hashes);
  }

  /** For so many keys, wrong at most about that often. */
  static BloomFilter sized(int keys, double falsePositiveRate) {
    return ofBits(keys, 1.1 * -Math.log(falsePositiveRate) / (LN2 * LN2));
  }

  private int block(long h) {
    return (int) ((h >>> 32) * (words.length / BLOCK_WORDS) >>> 32) * BLOCK_WORDS;
  }

  void add(long h) {
    int at = block(h);
    long bits = h * 0x9E3779B97F4A7C15L;
    int step = (int) (bits >>> 40) | 1;
    int bit = (int) bits;
    for (int i = 0; i < hashes; i++) {
      int b = bit >>> 23;
      words[at + (b >> 6)] |= 1L << (b & 63);
      bit += step * 0x9E3779B1;
    }
  }

  /** False only if it was never added. */
  boolean mightContain(long h) {
    int at = block(h);
    long bits = h * 0x9E3779B97F4A7C15L;
    int step = (int) (bits >>> 40) | 1;
    int bit = (int) bits;
    for (int i = 0; i < hashes; i++) {
      int b = bit >>> 23;
      if ((words[at + (b >> 6)] & 1L << (b & 63)) == 0) {
        return false;
      }
      bit += step * 0x9E3779B1;
    }
    return true;
  }

  long bytes() {
    return words.length * 8L + 32;
  }

  void write(ByteWriter w) {
    w.u1(hashes).var(words.length / BLOCK_WORDS);
    for (long x : words) {
      w.i8(x);
    }
  }

  static BloomFilter read(ByteReader r) {
    int hashes = r.u1();
    long blocks = r.var();
    if (hashes < 1 || blocks < 1 || blocks * BLOCK_WORDS * 8 > r.remaining()) {
      throw new IllegalStateException("Bloom filter of " + blocks + " blocks");
    }
    long[] words = new long[(int) blocks * BLOCK_WORDS];
    for (int i = 0; i < words.length; i++) {
      words[i] = r.i8();
    }
    return new BloomFilter(words, hashes);
  }
}
