/** What protocols of one-sided operations share: connections whose round trips are counted. */
@NullMarked
package org.reprobe.remote;

import org.jspecify.annotations.NullMarked;
