/** Options that several commands have, and the types of their values. */
@NullMarked
package org.reprobe.cli.options;

import org.jspecify.annotations.NullMarked;
