/** {@code export}: results in formats of other programs. */
@NullMarked
package org.reprobe.cli.export;

import org.jspecify.annotations.NullMarked;
