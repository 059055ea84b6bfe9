/** What the listeners share: event loops and the ordered way out of a connection. */
@NullMarked
package io.millrace.wire.net;

import org.jspecify.annotations.NullMarked;
