@NullMarked
package io.millrace.flow.ledger;

import org.jspecify.annotations.NullMarked;
