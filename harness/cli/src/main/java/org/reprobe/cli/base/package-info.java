/** Shared parts of all commands: reading of input, output to a terminal, exit codes. */
@NullMarked
package org.reprobe.cli.base;

import org.jspecify.annotations.NullMarked;
