/**
 * Small configurations of systems, picked or derived, whose schedules are explored, and which branches of a protocol they take.
 * Knows no system.
 */
@NullMarked
package org.reprobe.trial;

import org.jspecify.annotations.NullMarked;
