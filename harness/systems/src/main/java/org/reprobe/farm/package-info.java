/** FaRM (NSDI 2014): what its machines do to each other's memory by one-sided operations. */
@NullMarked
package org.reprobe.farm;

import org.jspecify.annotations.NullMarked;
