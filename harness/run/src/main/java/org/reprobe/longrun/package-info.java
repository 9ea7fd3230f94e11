/**
 * Long histories in real time that outlive their writers: the clients of a {@link org.reprobe.system.CrashTest} and
 * their logs. {@code run.process.CrashRun} launches and kills their processes.
 */
@NullMarked
package org.reprobe.longrun;

import org.jspecify.annotations.NullMarked;
