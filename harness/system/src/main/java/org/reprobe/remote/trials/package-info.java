/** Base classes of trials of key-value systems. */
@NullMarked
package org.reprobe.remote.trials;

import org.jspecify.annotations.NullMarked;
