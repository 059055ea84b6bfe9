@NullMarked
package io.millrace.sql.rule;

import org.jspecify.annotations.NullMarked;
