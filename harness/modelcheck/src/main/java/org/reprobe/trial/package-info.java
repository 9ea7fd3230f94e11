/**
 * Small configurations of systems for exploration, hand-picked or derived, and branch coverage of protocols.
 * Independent of systems.
 */
@NullMarked
package org.reprobe.trial;

import org.jspecify.annotations.NullMarked;
