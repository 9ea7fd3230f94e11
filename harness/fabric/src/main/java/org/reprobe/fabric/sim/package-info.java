/** The simulated network card, in virtual time. */
@NullMarked
package org.reprobe.fabric.sim;

import org.jspecify.annotations.NullMarked;
