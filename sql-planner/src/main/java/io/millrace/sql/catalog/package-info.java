@NullMarked
package io.millrace.sql.catalog;

import org.jspecify.annotations.NullMarked;
