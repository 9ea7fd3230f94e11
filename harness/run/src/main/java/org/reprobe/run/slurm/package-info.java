/** Shards of a run as a Slurm job array: submission, watching, cancellation. */
@NullMarked
package org.reprobe.run.slurm;

import org.jspecify.annotations.NullMarked;
