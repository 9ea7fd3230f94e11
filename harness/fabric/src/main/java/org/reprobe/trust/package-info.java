/** Trust between processes and users: folders private to this user, proofs of a shared secret. */
@NullMarked
package org.reprobe.trust;

import org.jspecify.annotations.NullMarked;
