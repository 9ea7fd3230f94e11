/** Profiles of runs: recordings by Java's Flight Recorder, and the methods that occur in them most. */
@NullMarked
package org.reprobe.profile;

import org.jspecify.annotations.NullMarked;
