/** Trials of Pilaf: small tables whose schedules are explored, and killed client processes. */
@NullMarked
package org.reprobe.pilaf.trials;

import org.jspecify.annotations.NullMarked;
