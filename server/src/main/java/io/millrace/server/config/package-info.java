/** The configuration file, bound to records: see {@link io.millrace.server.config.Config}. */
@NullMarked
package io.millrace.server.config;

import org.jspecify.annotations.NullMarked;
