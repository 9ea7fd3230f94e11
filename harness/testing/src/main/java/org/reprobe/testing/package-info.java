/** Shared by the tests of all modules: seeds that can be replayed, and what a machine must have for some of them. */
@NullMarked
package org.reprobe.testing;

import org.jspecify.annotations.NullMarked;
