package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.workload.Rng;

/** What a client's scheme works with. */
record LookupParts(
        Client client,
        RemoteTable table,
        MemorySegment local,
        Lookups lookups,
        RequestQueue requests,
        Answers answers,
        Rng random) {}
