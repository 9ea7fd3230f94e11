/**
 * Pilaf (Mitchell, Geng and Li, USENIX ATC 2013) as described in section 2 of the Nessie paper: clients read
 * self-verifying entries and items by one-sided READs, and send writes to the server as messages.
 */
@NullMarked
package org.reprobe.pilaf;

import org.jspecify.annotations.NullMarked;
