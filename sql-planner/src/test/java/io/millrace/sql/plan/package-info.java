@NullMarked
package io.millrace.sql.plan;

import org.jspecify.annotations.NullMarked;
