/** Shared-memory fabric: server and clients are processes of one machine that map the same files. */
@NullMarked
package org.reprobe.fabric.shm;

import org.jspecify.annotations.NullMarked;
