/** Trials of Nessie: small tables whose schedules are explored, and processes of clients that are killed. */
@NullMarked
package org.reprobe.nessie.trials;

import org.jspecify.annotations.NullMarked;
