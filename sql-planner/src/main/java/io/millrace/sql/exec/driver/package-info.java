/** Drivers, their scheduler and admission, and the engine that opens plans. */
@NullMarked
package io.millrace.sql.exec.driver;

import org.jspecify.annotations.NullMarked;
