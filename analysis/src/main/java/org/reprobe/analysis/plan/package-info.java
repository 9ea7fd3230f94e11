/** Capacity planning: what a scheme on a card can carry, in closed form, and which to choose. */
@NullMarked
package org.reprobe.analysis.plan;

import org.jspecify.annotations.NullMarked;
