/** {@code list}, {@code validate} and {@code reference}: scenario files and other input. */
@NullMarked
package org.reprobe.cli.scenarios;

import org.jspecify.annotations.NullMarked;
