/**
 * Pilaf's way (Mitchell, Geng and Li, USENIX ATC 2013), as the Nessie paper tells it in section 2: clients read by one-sided
 * READs of self-verifying entries and items, and leave writes to the server, by messages.
 */
@NullMarked
package org.reprobe.pilaf;

import org.jspecify.annotations.NullMarked;
