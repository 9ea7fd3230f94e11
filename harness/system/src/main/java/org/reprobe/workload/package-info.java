/** Keys that exist, and the distribution by which they are requested. */
@NullMarked
package org.reprobe.workload;

import org.jspecify.annotations.NullMarked;
