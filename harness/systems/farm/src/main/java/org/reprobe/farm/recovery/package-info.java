/** Leases, configurations and recovery, which FaRM's paper of 2014 leaves open (FaRM 2015, section 5). */
@NullMarked
package org.reprobe.farm.recovery;

import org.jspecify.annotations.NullMarked;
