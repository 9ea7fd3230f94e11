/** Measurements of the regression checks themselves: false alarms and missed changes. */
@NullMarked
package org.reprobe.regress;

import org.jspecify.annotations.NullMarked;
