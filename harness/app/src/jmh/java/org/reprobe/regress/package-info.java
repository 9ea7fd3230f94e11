/** What the regression checks are worth, measured. */
@NullMarked
package org.reprobe.regress;

import org.jspecify.annotations.NullMarked;
