/** Published claims and their evaluation against measurements. */
@NullMarked
package org.reprobe.analysis.claims;

import org.jspecify.annotations.NullMarked;
