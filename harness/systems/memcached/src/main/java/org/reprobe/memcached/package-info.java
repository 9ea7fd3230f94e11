/** The server program memcached, measured over sockets: what two-sided lookups cost in a system that many people run. */
@NullMarked
package org.reprobe.memcached;

import org.jspecify.annotations.NullMarked;
