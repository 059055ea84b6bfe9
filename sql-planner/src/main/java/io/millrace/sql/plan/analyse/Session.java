package io.millrace.sql.plan.analyse;

import io.millrace.sql.plan.rel.ConstantPool;
import io.millrace.sql.plan.rel.MillTypeFactory;
import java.util.HashSet;
import java.util.Set;
import org.apache.calcite.plan.RelOptCluster;
import org.apache.calcite.rex.RexNode;

/** What the parts of one analysis share. */
final class Session {
  final AnalyseContext context;
  final RelOptCluster cluster;
  final MillTypeFactory types;
  final Rexes rexes;
  final ConstantPool pool;
  final Typing typing;
  final Resolver resolver;
  final Parameters parameters;
  final String text;
  final Set<io.millrace.common.id.TableId> tables = new HashSet<>();
  final Set<Integer> views = new HashSet<>();
  final Steps steps = new Steps(this);
  int joins;
  int nextId;
  int viewDepth;

  Session(
      AnalyseContext context,
      RelOptCluster cluster,
      MillTypeFactory types,
      Rexes rexes,
      ConstantPool pool,
      Typing typing,
      Resolver resolver,
      Parameters parameters,
      String text) {
    this.context = context;
    this.cluster = cluster;
    this.types = types;
    this.rexes = rexes;
    this.pool = pool;
    this.typing = typing;
    this.resolver = resolver;
    this.parameters = parameters;
    this.text = text;
  }

  RexNode input(org.apache.calcite.rel.RelNode rel, int index) {
    return cluster.getRexBuilder().makeInputRef(rel, index);
  }

  /** What is known once all is analysed. */
  Analysed.Facts facts() {
    return new Analysed.Facts(
        parameters.finish(),
        pool,
        joins >= 3,
        rexes.readsSession(),
        !rexes.readsClock(),
        Set.copyOf(tables),
        Set.copyOf(views),
        steps.all());
  }
}
