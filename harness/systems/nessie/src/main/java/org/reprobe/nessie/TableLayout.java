package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/**
 * Variable part of a layout.
 *
 * @param slots entries of the index table
 * @param memory registration of the memory of the table
 */
record TableLayout(long slots, RemoteRegion memory) {}
