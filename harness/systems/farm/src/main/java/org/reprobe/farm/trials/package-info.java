/** Small configurations of FaRM's protocols whose schedules are explored. */
@NullMarked
package org.reprobe.farm.trials;

import org.jspecify.annotations.NullMarked;
