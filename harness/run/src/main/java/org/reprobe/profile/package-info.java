/** Profiles of runs: recordings by Java's Flight Recorder and their hottest methods. */
@NullMarked
package org.reprobe.profile;

import org.jspecify.annotations.NullMarked;
