/**
 * Small configurations of systems, picked or derived, whose schedules are explored, and the branches of a protocol that they take.
 * Independent of any system.
 */
@NullMarked
package org.reprobe.trial;

import org.jspecify.annotations.NullMarked;
