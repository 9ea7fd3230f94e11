/** Memory outside the Java heap. */
@NullMarked
package org.reprobe.memory;

import org.jspecify.annotations.NullMarked;
