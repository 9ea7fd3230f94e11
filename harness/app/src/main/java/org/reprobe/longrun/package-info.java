/**
 * Long histories in real time: client processes work on one Nessie table over a real fabric, some are killed, and what all of
 * them were told is checked for linearizability.
 */
@NullMarked
package org.reprobe.longrun;

import org.jspecify.annotations.NullMarked;
