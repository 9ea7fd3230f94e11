/** FaRM (NSDI 2014): a hash table over the memories of all machines, whose lookups are lock-free one-sided READs. */
@NullMarked
package org.reprobe.farm;

import org.jspecify.annotations.NullMarked;
