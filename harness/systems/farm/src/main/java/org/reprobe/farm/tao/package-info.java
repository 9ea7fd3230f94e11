/** Tao's graph on FaRM (FaRM 2014, section 4.4). */
@NullMarked
package org.reprobe.farm.tao;

import org.jspecify.annotations.NullMarked;
