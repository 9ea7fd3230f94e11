/** Trials of find-or-put: small tables whose schedules are explored, and processes of clients that are killed. */
@NullMarked
package org.reprobe.findorput.trials;

import org.jspecify.annotations.NullMarked;
