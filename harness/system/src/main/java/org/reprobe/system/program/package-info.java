/** Programs outside this JVM that a system starts and measures. */
@NullMarked
package org.reprobe.system.program;

import org.jspecify.annotations.NullMarked;
