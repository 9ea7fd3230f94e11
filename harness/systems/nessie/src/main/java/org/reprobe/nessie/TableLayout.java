package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/** Variable part of a layout: entries of the index table, and registration of its memory. */
record TableLayout(long slots, RemoteRegion memory) {}
