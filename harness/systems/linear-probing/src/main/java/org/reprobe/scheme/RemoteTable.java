package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.table.TableGeometry;

/** Table and heap as clients address them; without a heap, storage is inline. */
public record RemoteTable(
        TableGeometry geometry,
        RemoteRegion table,
        @Nullable RemoteRegion heap) {}
