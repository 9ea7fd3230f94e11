/** Simulated network cards in virtual time. */
@NullMarked
package org.reprobe.fabric.sim;

import org.jspecify.annotations.NullMarked;
