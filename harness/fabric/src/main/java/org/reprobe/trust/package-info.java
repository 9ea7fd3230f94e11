/** What is believed of others on this machine and on the network: folders of this user alone, proofs of a shared secret. */
@NullMarked
package org.reprobe.trust;

import org.jspecify.annotations.NullMarked;
