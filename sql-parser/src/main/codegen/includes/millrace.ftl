// BEGIN of the productions of Millrace
/*
 * Productions of ours. One that has the name of a production of Calcite's template replaces it.
 * The frame of a query is grammar; what PostgreSQL decides by more than the next token (expressions,
 * types, names, table references, ...) is read by hand over the same tokens, through "reader".
 */

/** A query with WITH, set operations, ORDER BY, LIMIT and locking: where parsing of a query starts. */
SqlNode OrderedQueryOrExpr() :
{
    SqlNode e;
}
{
    e = QueryOrExpr()
    e = OrderByLimitOpt(e)
    { return e; }
}

JAVACODE SqlNode OrderByLimitOpt(SqlNode e) {
    return reader.orderAndLimit(e);
}

SqlNode QueryOrExpr() :
{
    SqlNodeList withList = null;
    final SqlNode e;
    final List<Object> list = new ArrayList<Object>();
}
{
    [ withList = WithList() ]
    e = LeafQueryOrExpr() { list.add(e); }
    ( LOOKAHEAD(1) AddSetOpQuery(list) )*
    { return addWith(withList, SqlParserUtil.toTree(list)); }
}

SqlNodeList WithList() :
{
    final Span s;
    final List<SqlNode> list = new ArrayList<SqlNode>();
    boolean recursive = false;
}
{
    <WITH> { s = span(); }
    [ LOOKAHEAD({ reader.at("recursive") }) <IDENTIFIER> { recursive = true; } ]
    AddCommonTable(list, recursive)
    ( <COMMA> AddCommonTable(list, recursive) )*
    { return new SqlNodeList(list, s.pos()); }
}

JAVACODE void AddCommonTable(List<SqlNode> list, boolean recursive) {
    list.add(reader.commonTable(recursive));
}

void AddSetOpQuery(List<Object> list) :
{
    final SqlOperator op;
    final SqlParserPos pos;
    final SqlNode e;
}
{
    { pos = reader.position(); }
    op = BinaryQueryOperator()
    e = LeafQueryOrExpr() {
        list.add(new SqlParserUtil.ToTreeListItem(op, pos));
        list.add(e);
    }
}

SqlBinaryOperator BinaryQueryOperator() :
{
    boolean all = false;
}
{
    <UNION> ( <ALL> { all = true; } | <DISTINCT> | { } )
    { return all ? SqlStdOperatorTable.UNION_ALL : SqlStdOperatorTable.UNION; }
|
    <INTERSECT> ( <ALL> { all = true; } | <DISTINCT> | { } )
    { return all ? SqlStdOperatorTable.INTERSECT_ALL : SqlStdOperatorTable.INTERSECT; }
|
    <EXCEPT> ( <ALL> { all = true; } | <DISTINCT> | { } )
    { return all ? SqlStdOperatorTable.EXCEPT_ALL : SqlStdOperatorTable.EXCEPT; }
}

/** SELECT, VALUES, TABLE or a query in parentheses. */
SqlNode LeafQueryOrExpr() :
{
    SqlNode e;
}
{
    e = SqlSelect() { return e; }
|
    LOOKAHEAD({ reader.at("values") })
    e = ValuesQuery() { return e; }
|
    <TABLE> e = CompoundIdentifier()
    { return SqlStdOperatorTable.EXPLICIT_TABLE.createCall(e.getParserPosition(), e); }
|
    <LPAREN> e = OrderedQueryOrExpr() <RPAREN>
    { return e; }
}

JAVACODE SqlNode ValuesQuery() {
    return reader.values();
}

SqlSelect SqlSelect() :
{
    final Span s;
    SqlLiteral distinct = null;
    SqlNodeList distinctOn = null;
    final List<SqlNode> selectList = new ArrayList<SqlNode>();
    SqlIdentifier into = null;
    SqlNode from = null;
    SqlNode where = null;
    SqlNodeList groupBy = null;
    SqlNode having = null;
    SqlNodeList windows = null;
    SqlNode align = null;
}
{
    <SELECT> { s = span(); }
    [
        <DISTINCT> { distinct = SqlSelectKeyword.DISTINCT.symbol(getPos()); }
        [ <ON> { distinct = null; } distinctOn = DistinctOnList() ]
    |
        <ALL>
    ]
    [
        LOOKAHEAD({ reader.atSelectItem() })
        AddSelectItem(selectList)
        ( <COMMA> AddSelectItem(selectList) )*
    ]
    [ <INTO> into = IntoTarget() ]
    [ <FROM> from = FromClause() ]
    [ <WHERE> where = Expression() ]
    [ <GROUP> groupBy = GroupBy() ]
    [ <HAVING> having = Expression() ]
    [ <WINDOW> windows = Window() ]
    [ LOOKAHEAD({ reader.at("align") }) align = AlignClause() ]
    {
        return new PgSelect(s.pos(), distinct, distinctOn,
            new SqlNodeList(selectList, s.pos()), into, from, where, groupBy, having, windows, align);
    }
}

JAVACODE SqlNodeList DistinctOnList() {
    return reader.parenthesizedExpressions();
}

JAVACODE SqlIdentifier IntoTarget() {
    return reader.intoTarget();
}

JAVACODE SqlNode AlignClause() {
    return reader.align();
}

JAVACODE void AddSelectItem(List<SqlNode> list) {
    list.add(reader.selectItem());
}

JAVACODE SqlNodeList GroupBy() {
    return reader.groupBy();
}

JAVACODE SqlNodeList Window() {
    return reader.windows();
}

/** Items joined by comma; explicit joins bind tighter. */
SqlNode FromClause() :
{
    SqlNode e;
    SqlNode e2;
    SqlParserPos pos;
}
{
    e = JoinedTable()
    (
        LOOKAHEAD(1)
        <COMMA> { pos = getPos(); }
        e2 = JoinedTable() {
            e = join(pos, e, false, JoinType.COMMA, e2, JoinConditionType.NONE, null);
        }
    )*
    { return e; }
}

/** A table reference with the joins that follow it. */
SqlNode JoinedTable() :
{
    SqlNode e;
}
{
    e = TableRef1()
    ( LOOKAHEAD(1) e = JoinTable(e) )*
    { return e; }
}

JAVACODE SqlNode TableRef1() {
    return reader.tableReference();
}

/** One join. "a JOIN b JOIN c ON ... ON ..." nests to the right, as in PostgreSQL. */
SqlNode JoinTable(SqlNode e) :
{
    SqlNode e2;
    SqlNode condition;
    final JoinType joinType;
    final SqlParserPos pos;
    final SqlNodeList list;
    SqlIdentifier alias = null;
}
{
    <CROSS> <JOIN> { pos = getPos(); }
    e2 = TableRef1() {
        return join(pos, e, false, JoinType.CROSS, e2, JoinConditionType.NONE, null);
    }
|
    <NATURAL> joinType = JoinKind() { pos = getPos(); }
    e2 = TableRef1() {
        return join(pos, e, true, joinType, e2, JoinConditionType.NONE, null);
    }
|
    joinType = JoinKind() { pos = getPos(); }
    e2 = TableRef1()
    ( LOOKAHEAD(1) e2 = JoinTable(e2) )*
    (
        <ON> condition = Expression() {
            return join(pos, e, false, joinType, e2, JoinConditionType.ON, condition);
        }
    |
        <USING> list = UsingList() [ <AS> alias = UsingAlias() ] {
            if (alias != null) {
                return new PgJoin(pos, e, joinType, e2, list, alias);
            }
            return join(pos, e, false, joinType, e2, JoinConditionType.USING, list);
        }
    )
}

JAVACODE SqlIdentifier UsingAlias() {
    return reader.simpleName();
}

JAVACODE SqlNodeList UsingList() {
    return reader.parenthesizedNames();
}

JoinType JoinKind() :
{
    final JoinType type;
}
{
    ( <INNER> { type = JoinType.INNER; }
    | <LEFT> [ <OUTER> ] { type = JoinType.LEFT; }
    | <RIGHT> [ <OUTER> ] { type = JoinType.RIGHT; }
    | <FULL> [ <OUTER> ] { type = JoinType.FULL; }
    | { type = JoinType.INNER; }
    )
    <JOIN>
    { return type; }
}

JAVACODE SqlNode join(SqlParserPos pos, SqlNode left, boolean natural, JoinType type, SqlNode right,
    JoinConditionType conditionType, SqlNode condition) {
    return new SqlJoin(pos, left, SqlLiteral.createBoolean(natural, pos), type.symbol(pos), right,
        conditionType.symbol(pos), condition);
}

JAVACODE SqlNode Expression() {
    return reader.expression();
}

JAVACODE SqlIdentifier CompoundIdentifier() {
    return reader.qualifiedName();
}
// END of the productions of Millrace
