/** What a paper publishes, and whether a reproduction agrees. */
@NullMarked
package org.reprobe.analysis.claims;

import org.jspecify.annotations.NullMarked;
