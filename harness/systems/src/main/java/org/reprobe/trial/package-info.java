/** The systems whose schedules are explored: a few clients, a few operations on keys that get into each other's way. */
@NullMarked
package org.reprobe.trial;

import org.jspecify.annotations.NullMarked;
