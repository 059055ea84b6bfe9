/** Sessions: settings, transactions, portals; the protocol without bytes. */
@NullMarked
package io.millrace.server.session;

import org.jspecify.annotations.NullMarked;
