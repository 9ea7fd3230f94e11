/** The read-size model of the linear-probing paper, section 3. */
@NullMarked
package org.reprobe.analysis.model;

import org.jspecify.annotations.NullMarked;
