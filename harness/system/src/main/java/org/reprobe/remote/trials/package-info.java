/** Base classes of trials of systems whose clients read and write values by keys. */
@NullMarked
package org.reprobe.remote.trials;

import org.jspecify.annotations.NullMarked;
