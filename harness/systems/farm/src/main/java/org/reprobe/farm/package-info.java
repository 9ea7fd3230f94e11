/**
 * FaRM (NSDI 2014): schemes, settings and deployments. The packages below mirror the paper; each depends only on
 * earlier ones: memory, messages, reads, commit, table, transactions, recovery, tao, trials.
 */
@NullMarked
package org.reprobe.farm;

import org.jspecify.annotations.NullMarked;
