/** Coordinators of transactions over objects of several machines (FaRM 2014, section 3.4). */
@NullMarked
package org.reprobe.farm.transactions;

import org.jspecify.annotations.NullMarked;
