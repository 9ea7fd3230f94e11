package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.table.TableGeometry;

/**
 * Table and heap as clients address them.
 *
 * @param heap null for inline storage
 */
public record RemoteTable(
        TableGeometry geometry,
        RemoteRegion table,
        @Nullable RemoteRegion heap) {}
