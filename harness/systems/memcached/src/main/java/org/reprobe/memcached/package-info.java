/** Server program memcached, measured over sockets: costs of two-sided lookups in a widely used system. */
@NullMarked
package org.reprobe.memcached;

import org.jspecify.annotations.NullMarked;
