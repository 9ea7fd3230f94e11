/**
 * Test kit of systems: answers, settings, plans and trials. It needs no test framework, so that systems outside of this project can use
 * it: only the program's jars are there.
 */
@NullMarked
package org.reprobe.conformance;

import org.jspecify.annotations.NullMarked;
