/** Shared by the tests of all modules: replayable seeds, and requirements on the machine. */
@NullMarked
package org.reprobe.testing;

import org.jspecify.annotations.NullMarked;
