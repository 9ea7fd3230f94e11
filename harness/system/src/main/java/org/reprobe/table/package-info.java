/**
 * Hash tables in registered memory: layouts and builders. {@link org.reprobe.table.TableGeometry} defines the layout in
 * bytes.
 */
@NullMarked
package org.reprobe.table;

import org.jspecify.annotations.NullMarked;
