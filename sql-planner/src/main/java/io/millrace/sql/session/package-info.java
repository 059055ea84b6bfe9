/** Session settings: which there are, what they allow. */
@NullMarked
package io.millrace.sql.session;

import org.jspecify.annotations.NullMarked;
