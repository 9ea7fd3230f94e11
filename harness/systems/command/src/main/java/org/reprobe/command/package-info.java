/** External programs in any language: started, awaited, and measured by their own output. */
@NullMarked
package org.reprobe.command;

import org.jspecify.annotations.NullMarked;
