/**
 * Interface between Reprobe and a system. {@link org.reprobe.system.SystemUnderTest} is the plug-in point: a system is one class that
 * implements it, found by {@link java.util.ServiceLoader}; nothing outside a system's module names it. A run is a
 * {@link org.reprobe.system.Deployment} with a server half and client halves, which may be in different processes.
 */
@NullMarked
package org.reprobe.system;

import org.jspecify.annotations.NullMarked;
