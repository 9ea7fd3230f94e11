/** Trials of lookups that go on to write: small tables whose schedules are explored. */
@NullMarked
package org.reprobe.scheme.trials;

import org.jspecify.annotations.NullMarked;
