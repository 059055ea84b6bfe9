/** Words of texts and what is looked for among them: the meaning of full-text search. */
@NullMarked
package io.millrace.common.text;

import org.jspecify.annotations.NullMarked;
