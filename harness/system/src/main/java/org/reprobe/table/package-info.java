/** Hash tables in registered memory: layouts and builders. */
@NullMarked
package org.reprobe.table;

import org.jspecify.annotations.NullMarked;
