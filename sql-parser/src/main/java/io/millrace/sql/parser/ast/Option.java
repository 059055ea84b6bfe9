package io.millrace.sql.parser.ast;

import org.jspecify.annotations.Nullable;

/**
 * One entry of a list such as WITH (ttl = '7d'): the key as written (words folded, dotted keys in
 * one), the value as text whatever literal it was, null where only the key stands.
 *
 * @param position of the key in the statement's text, in characters from 1
 */
public record Option(String key, @Nullable String value, int position) {}
