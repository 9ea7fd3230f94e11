/** Runs scenarios: {@code run}, {@code merge}, {@code serve}, {@code drive} and the processes that they start. */
@NullMarked
package org.reprobe.cli.run;

import org.jspecify.annotations.NullMarked;
