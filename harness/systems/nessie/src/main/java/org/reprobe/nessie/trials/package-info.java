/** Trials of Nessie: small tables whose schedules are explored, and killed client processes. */
@NullMarked
package org.reprobe.nessie.trials;

import org.jspecify.annotations.NullMarked;
