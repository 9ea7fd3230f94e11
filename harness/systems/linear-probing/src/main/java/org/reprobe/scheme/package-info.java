/**
 * Lookups in tables of a passive server: linear probing and cuckoo hashing (linear-probing paper, 2020) and hopscotch
 * hashing (FaRM, 2014). The README of the module follows the sections of the paper.
 */
@NullMarked
package org.reprobe.scheme;

import org.jspecify.annotations.NullMarked;
