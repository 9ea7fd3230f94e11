/** Hash table with chained associative hopscotch hashing (FaRM 2014, section 3.6). */
@NullMarked
package org.reprobe.farm.table;

import org.jspecify.annotations.NullMarked;
