/** Rings of messages between the threads of all machines, and their event loops (FaRM 2014, section 3.1). */
@NullMarked
package org.reprobe.farm.messages;

import org.jspecify.annotations.NullMarked;
