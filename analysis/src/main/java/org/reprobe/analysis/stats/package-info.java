/** Means, intervals and tests over repeated runs. */
@NullMarked
package org.reprobe.analysis.stats;

import org.jspecify.annotations.NullMarked;
