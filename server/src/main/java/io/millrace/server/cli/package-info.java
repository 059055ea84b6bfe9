/**
 * Programs for people that talk to a running server over the wire: the demo and a small SQL shell.
 */
@NullMarked
package io.millrace.server.cli;

import org.jspecify.annotations.NullMarked;
