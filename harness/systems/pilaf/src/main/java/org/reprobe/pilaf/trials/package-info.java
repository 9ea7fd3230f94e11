/** Trials of Pilaf: small tables whose schedules are explored, and processes of clients that are killed. */
@NullMarked
package org.reprobe.pilaf.trials;

import org.jspecify.annotations.NullMarked;
