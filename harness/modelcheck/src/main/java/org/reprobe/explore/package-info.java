/**
 * Execution of client programs under chosen schedules: a fabric on which a scheduler, not time, chooses the next step, and the searches
 * through its schedules. See {@code docs/internals/model-checking.md}.
 */
@NullMarked
package org.reprobe.explore;

import org.jspecify.annotations.NullMarked;
