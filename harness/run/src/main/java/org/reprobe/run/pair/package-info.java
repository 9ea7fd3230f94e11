/** Runs of two builds, or of one build with two settings, in turns. */
@NullMarked
package org.reprobe.run.pair;

import org.jspecify.annotations.NullMarked;
