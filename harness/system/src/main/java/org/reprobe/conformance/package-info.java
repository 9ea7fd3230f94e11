/** Conformance tests for systems: lookups, settings, plans and explored trials. */
@NullMarked
package org.reprobe.conformance;

import org.jspecify.annotations.NullMarked;
