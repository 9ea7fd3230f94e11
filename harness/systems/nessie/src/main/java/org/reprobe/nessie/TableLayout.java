package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/**
 * What changes of a table when its server has worked on it.
 *
 * @param slots entries of the index table
 * @param memory the table's memory as it is registered now
 */
record TableLayout(long slots, RemoteRegion memory) {}
