/** Where the time of runs goes: recordings by Java's Flight Recorder, and which methods they saw most. */
@NullMarked
package org.reprobe.profile;

import org.jspecify.annotations.NullMarked;
