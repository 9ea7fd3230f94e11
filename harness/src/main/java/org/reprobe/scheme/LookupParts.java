package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.reprobe.fabric.Client;

/** What a client's scheme works with. */
record LookupParts(
        Client client,
        RemoteTable table,
        MemorySegment local,
        Lookups lookups,
        RequestQueue requests,
        Answers answers,
        SplittableRandom random) {}
