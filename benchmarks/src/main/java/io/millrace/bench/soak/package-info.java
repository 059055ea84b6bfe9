/** Long runs that look for what only time shows: wrong rows, errors, and what grows. */
@org.jspecify.annotations.NullMarked
package io.millrace.bench.soak;
