/** Capacity planning in closed form: performance of a scheme on a card, and the choice between them. */
@NullMarked
package org.reprobe.analysis.plan;

import org.jspecify.annotations.NullMarked;
