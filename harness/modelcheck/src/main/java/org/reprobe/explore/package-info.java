/** Execution of programs under chosen schedules: a fabric whose scheduler replaces time, and searches through its schedules. */
@NullMarked
package org.reprobe.explore;

import org.jspecify.annotations.NullMarked;
