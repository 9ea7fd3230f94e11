/**
 * Sampled interval of a run: steady state, operations that belong to it, their latencies and rates per slice of time.
 */
@NullMarked
package org.reprobe.sample;

import org.jspecify.annotations.NullMarked;
