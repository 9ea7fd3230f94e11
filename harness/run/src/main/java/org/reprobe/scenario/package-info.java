/** Scenario files: reading, checking, sweeping. */
@NullMarked
package org.reprobe.scenario;

import org.jspecify.annotations.NullMarked;
