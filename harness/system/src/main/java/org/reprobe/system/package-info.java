/**
 * What Reprobe must know of a system to deploy, measure, check and plan it. {@link org.reprobe.system.SystemUnderTest} is the seam:
 * a system is one class behind it, found by {@link java.util.ServiceLoader}, and nothing else names a system.
 */
@NullMarked
package org.reprobe.system;

import org.jspecify.annotations.NullMarked;
