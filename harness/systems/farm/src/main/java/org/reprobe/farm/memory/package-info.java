/** Regions, blocks, slabs and objects of FaRM (2014, sections 3.3 and 3.5). */
@NullMarked
package org.reprobe.farm.memory;

import org.jspecify.annotations.NullMarked;
