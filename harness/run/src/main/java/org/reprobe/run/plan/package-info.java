/** Simulated runs of planned configurations, and their comparison with the plan. */
@NullMarked
package org.reprobe.run.plan;

import org.jspecify.annotations.NullMarked;
