/** NIC profiles: the constants of one network card, with their sources. */
@NullMarked
package org.reprobe.analysis.nic;

import org.jspecify.annotations.NullMarked;
