package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/** Variable part of a layout: the number of index entries, and the registration of the memory. */
record TableLayout(long slots, RemoteRegion memory) {}
