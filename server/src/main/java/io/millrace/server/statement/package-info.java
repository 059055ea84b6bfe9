/** One executor per kind of statement. */
@NullMarked
package io.millrace.server.statement;

import org.jspecify.annotations.NullMarked;
