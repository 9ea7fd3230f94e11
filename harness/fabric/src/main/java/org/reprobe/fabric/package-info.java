/** Fabric contract: one-sided operations, their order and their completions. */
@NullMarked
package org.reprobe.fabric;

import org.jspecify.annotations.NullMarked;
