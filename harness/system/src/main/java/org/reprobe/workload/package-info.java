/** Keys of tables, keys that clients request, random numbers and hash functions. */
@NullMarked
package org.reprobe.workload;

import org.jspecify.annotations.NullMarked;
