package org.reprobe.farm.transactions;

import org.reprobe.testing.SeededFaults;

/** Faults of how transactions allocate and free objects. */
public enum AllocationFaults {
    /** An object is given back when its freeing transaction has locked it, which may still abort. */
    FREES_AT_PREPARE,
    /** An aborted transaction keeps what it has allocated. */
    KEEPS_ABORTED,
    /** A transaction that replaces an object does not free the old one. */
    KEEPS_REPLACED,
    /** A read by a fat pointer does not compare the incarnation. */
    IGNORES_INCARNATION;

    public SeededFaults seeded() {
        SeededFaults faults = new SeededFaults("org.reprobe.farm.");
        return switch (this) {
            case FREES_AT_PREPARE ->
                faults.replacing(
                                "commit.Participant",
                                "return others ? CommitMessage.LOCKED : CommitMessage.CHANGED; }",
                                """
                                    return others ? CommitMessage.LOCKED : CommitMessage.CHANGED;
                                }
                                if (CommitMessage.change(words[at + 1]) == CommitMessage.FREED) {
                                    allocations().freed(address);
                                }
                                """)
                        .replacing(
                                "commit.Participant",
                                "writer.free(memory(address), offset, version); allocations().freed(address);",
                                "writer.free(memory(address), offset, version);");
            case KEEPS_ABORTED ->
                faults.replacing(
                        "commit.ObjectAllocations",
                        "void aborted(long address) { places.free(Address.offsetOf(address)); }",
                        "void aborted(long address) {}");
            case KEEPS_REPLACED ->
                faults.without("transactions.TransactionParts", "transaction.free(known(parts, i));");
            case IGNORES_INCARNATION ->
                faults.replacing(
                        "memory.ObjectLayout",
                        "return (version & LOCK_MODE) <= READABLE"
                                + " && (!isAllocated(from, at) || incarnation(from, at) != incarnation);",
                        "return false;");
        };
    }
}
