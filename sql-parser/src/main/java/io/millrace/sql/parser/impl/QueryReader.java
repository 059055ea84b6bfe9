package io.millrace.sql.parser.impl;

import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.parser.SqlParserPos;

/**
 * What the generated parser leaves to code by hand: everything that PostgreSQL's grammar decides by
 * more than the next token. Each method reads from the parser's current token on and leaves the
 * parser behind what it has read.
 */
public interface QueryReader {
  /** Whether the next token is this word, not quoted. */
  boolean at(String word);

  /** Whether the next token can start an item of a select list. */
  boolean atSelectItem();

  /** The position of the next token. */
  SqlParserPos position();

  SqlNode expression() throws ParseException;

  SqlNode selectItem() throws ParseException;

  SqlIdentifier simpleName() throws ParseException;

  SqlIdentifier qualifiedName() throws ParseException;

  SqlNodeList parenthesizedExpressions() throws ParseException;

  SqlNodeList parenthesizedNames() throws ParseException;

  SqlIdentifier intoTarget() throws ParseException;

  SqlNode tableReference() throws ParseException;

  SqlNode commonTable(boolean recursive) throws ParseException;

  SqlNode values() throws ParseException;

  /** What follows GROUP. */
  SqlNodeList groupBy() throws ParseException;

  /** What follows WINDOW. */
  SqlNodeList windows() throws ParseException;

  /** ALIGN ... TO ... BY ... FILL ... of a range query. */
  SqlNode align() throws ParseException;

  /** ORDER BY, LIMIT, OFFSET, FETCH and locking clauses behind a query, in any order. */
  SqlNode orderAndLimit(SqlNode query) throws ParseException;
}
