/**
 * Lookups in tables of a passive server: linear probing and cuckoo hashing (linear-probing paper, 2020) and hopscotch hashing (FaRM, 2014).
 * The module's README goes through the paper's sections.
 */
@NullMarked
package org.reprobe.scheme;

import org.jspecify.annotations.NullMarked;
