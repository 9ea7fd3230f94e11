/** Common parts of one-sided protocols: connections that count round trips. */
@NullMarked
package org.reprobe.remote;

import org.jspecify.annotations.NullMarked;
