/** FaRM (NSDI 2014): random reads of all machines by all, and lookups in a hash table over all their memories. */
@NullMarked
package org.reprobe.farm;

import org.jspecify.annotations.NullMarked;
