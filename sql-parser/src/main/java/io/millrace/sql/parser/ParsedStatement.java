package io.millrace.sql.parser;

import io.millrace.sql.parser.ast.Statement;

/**
 * One statement of a message.
 *
 * @param text the statement's own text, without the semicolon
 * @param offset characters of the message before {@code text}: positions within the statement are
 *     counted from its text's start, a client counts from the message's
 */
public record ParsedStatement(Statement statement, String text, int offset) {}
