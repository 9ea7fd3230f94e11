/** How a client looks a key up: the papers' algorithms. */
@NullMarked
package org.reprobe.scheme;

import org.jspecify.annotations.NullMarked;
