/** Measurements of real cards, and the errors of NIC profiles against them. */
@NullMarked
package org.reprobe.analysis.cards;

import org.jspecify.annotations.NullMarked;
