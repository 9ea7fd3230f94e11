/** {@code plan}: choice of a scheme, a card and a number of servers. */
@NullMarked
package org.reprobe.cli.plan;

import org.jspecify.annotations.NullMarked;
