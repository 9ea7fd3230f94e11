/**
 * Long histories in real time, which outlive their writers: what clients of a {@link org.reprobe.system.CrashTest} do, and their logs.
 * {@code run.process.CrashRun} launches and kills their processes.
 */
@NullMarked
package org.reprobe.longrun;

import org.jspecify.annotations.NullMarked;
