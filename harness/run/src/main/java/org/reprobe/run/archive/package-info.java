/** Result folders as archives for data repositories. */
@NullMarked
package org.reprobe.run.archive;

import org.jspecify.annotations.NullMarked;
