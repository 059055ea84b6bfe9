@NullMarked
package io.millrace.sql.ddl;

import org.jspecify.annotations.NullMarked;
