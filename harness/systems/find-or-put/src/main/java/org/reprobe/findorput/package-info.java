/**
 * find-or-put: a distributed hash table with one operation (Oortwijn, van Dijk and van de Pol, "A distributed hash
 * table for shared memory", PPAM 2015).
 */
@NullMarked
package org.reprobe.findorput;

import org.jspecify.annotations.NullMarked;
