/** What every system must hold to, for tests: answers, settings, what it says to planners, explored trials. */
@NullMarked
package org.reprobe.conformance;

import org.jspecify.annotations.NullMarked;
