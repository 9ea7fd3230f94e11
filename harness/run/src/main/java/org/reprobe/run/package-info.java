/** Running a scenario: cells, repeats, results on disk. */
@NullMarked
package org.reprobe.run;

import org.jspecify.annotations.NullMarked;
