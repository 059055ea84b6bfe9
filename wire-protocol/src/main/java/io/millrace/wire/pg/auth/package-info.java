/** How clients prove who they are. */
@NullMarked
package io.millrace.wire.pg.auth;

import org.jspecify.annotations.NullMarked;
