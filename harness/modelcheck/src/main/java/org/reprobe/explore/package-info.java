/**
 * Execution of programs under chosen schedules: a fabric in which a scheduler replaces time, and searches through the
 * schedules.
 */
@NullMarked
package org.reprobe.explore;

import org.jspecify.annotations.NullMarked;
