/** Participants of commits: messages, locks, writes and replicas' logs (FaRM 2014, section 3.4). */
@NullMarked
package org.reprobe.farm.commit;

import org.jspecify.annotations.NullMarked;
