package io.millrace.storage.read;

import io.millrace.storage.HoldKind;

/** A hold as the fold sees it. */
public record HoldPoint(long sequence, HoldKind kind) {}
