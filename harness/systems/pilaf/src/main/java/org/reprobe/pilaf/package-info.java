/**
 * Pilaf (Mitchell, Geng and Li, USENIX ATC 2013) as section 2 of the Nessie paper describes it: clients read self-verifying entries and
 * items by one-sided READs and send writes to the server.
 */
@NullMarked
package org.reprobe.pilaf;

import org.jspecify.annotations.NullMarked;
