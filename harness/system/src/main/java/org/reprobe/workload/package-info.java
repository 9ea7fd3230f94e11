/** Which keys exist and which are asked for. */
@NullMarked
package org.reprobe.workload;

import org.jspecify.annotations.NullMarked;
