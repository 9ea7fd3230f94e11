/** Shards of a run as a job array of Slurm: asking for it, watching it, ending it. */
@NullMarked
package org.reprobe.run.slurm;

import org.jspecify.annotations.NullMarked;
