/** Random reads of blocks of all machines (FaRM 2014, section 3.1). */
@NullMarked
package org.reprobe.farm.reads;

import org.jspecify.annotations.NullMarked;
