/** What flows keep: checkpoints, ledgers, and the commit that writes both with the sink. */
@NullMarked
package io.millrace.flow.ledger;

import org.jspecify.annotations.NullMarked;
