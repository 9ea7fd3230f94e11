/**
 * Runs client programs under chosen schedules: a fabric on which a scheduler, not time, says what happens next, and the
 * searches through its schedules.
 */
@NullMarked
package org.reprobe.explore;

import org.jspecify.annotations.NullMarked;
