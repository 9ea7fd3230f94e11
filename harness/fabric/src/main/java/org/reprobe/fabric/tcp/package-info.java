/** One-sided operations and messages over sockets, with Netty. */
@NullMarked
package org.reprobe.fabric.tcp;

import org.jspecify.annotations.NullMarked;
