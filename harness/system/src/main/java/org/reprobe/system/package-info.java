/**
 * Interface to systems for deployment, measurement, checking and planning. Each system is one implementation of
 * {@link org.reprobe.system.SystemUnderTest}, found by {@link java.util.ServiceLoader}; no other code names a system.
 */
@NullMarked
package org.reprobe.system;

import org.jspecify.annotations.NullMarked;
