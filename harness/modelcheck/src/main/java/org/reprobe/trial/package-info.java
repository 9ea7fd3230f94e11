/** Picked or derived small configurations of systems for exploration, and branch coverage of protocols. Independent of systems. */
@NullMarked
package org.reprobe.trial;

import org.jspecify.annotations.NullMarked;
