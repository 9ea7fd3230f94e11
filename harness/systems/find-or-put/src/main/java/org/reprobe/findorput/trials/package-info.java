/** Trials of find-or-put: small tables whose schedules are explored, and killed client processes. */
@NullMarked
package org.reprobe.findorput.trials;

import org.jspecify.annotations.NullMarked;
