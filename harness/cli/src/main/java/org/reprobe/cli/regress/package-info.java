/** {@code regress}: comparison of results with earlier ones. */
@NullMarked
package org.reprobe.cli.regress;

import org.jspecify.annotations.NullMarked;
