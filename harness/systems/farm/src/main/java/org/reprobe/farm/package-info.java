/**
 * FaRM (NSDI 2014): its schemes, their settings and deployments. The packages below mirror the paper, and each depends on those before it only: memory,
 * messages, reads, commit, table, transactions, recovery, tao, trials.
 */
@NullMarked
package org.reprobe.farm;

import org.jspecify.annotations.NullMarked;
