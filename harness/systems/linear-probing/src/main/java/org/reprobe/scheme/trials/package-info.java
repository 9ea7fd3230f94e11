/** Trials of lookups that write: small tables whose schedules are explored. */
@NullMarked
package org.reprobe.scheme.trials;

import org.jspecify.annotations.NullMarked;
