/** Existing and requested keys. */
@NullMarked
package org.reprobe.workload;

import org.jspecify.annotations.NullMarked;
