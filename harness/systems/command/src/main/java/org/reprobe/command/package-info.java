/** Programs of anybody's, whatever they are written in: they are started, waited for, and what they say of themselves is read. */
@NullMarked
package org.reprobe.command;

import org.jspecify.annotations.NullMarked;
