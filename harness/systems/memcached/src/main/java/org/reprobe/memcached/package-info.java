/** Scheme {@code memcached}: lookups in memcached over sockets, as a baseline of two-sided lookups. */
@NullMarked
package org.reprobe.memcached;

import org.jspecify.annotations.NullMarked;
