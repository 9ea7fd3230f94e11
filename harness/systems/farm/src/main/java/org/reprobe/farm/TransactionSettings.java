package org.reprobe.farm;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.commit.ReplicationMode;

/** Keys of section {@code transactions}, in addition to {@link FarmSettings}. */
@Section(name = "transactions", meaning = """
        Scheme farm-transactions: machines are clients and servers, and their threads run transactions over objects of all \
        machines. table.records is the number of objects, table.record-bytes their payload.""")
public record TransactionSettings(
        @Key(byDefault = "4", min = 1, max = 64, meaning = """
                Number of different objects that a transaction reads, drawn by workload.keys. Their READs are posted together.""")
        int readObjects,

        @Key(byDefault = "2", min = 0, max = 64, meaning = """
                Number of these objects that a writing transaction writes. With workload.writes, the share of writing transactions.""")
        int writtenObjects,

        @Key(byDefault = "all", meaning = """
                Machines of a transaction's objects. all: as drawn from all machines. one-machine: the machine of the first drawn \
                object; each further object is replaced by one near it on this machine.""") Spread spread,

        @Key(byDefault = "false", meaning = """
                True if a transaction whose objects are all on one other machine is shipped there in one message. A thread there \
                reads, commits, retries after aborts, and replies with the objects read.""") boolean shipped,

        @Key(byDefault = "0", min = 0, max = 1_000_000, meaning = """
                Bytes of a part of each object, a multiple of 8, at least 16; 0 for no parts. A part is a further object near the \
                object, whose last two words are the part's address. A transaction reads the parts of its objects after the \
                objects. For each object that it writes it allocates a new part, by a message if the object is on another \
                machine, and frees the old one.""")
        int partBytes,

        @Key(byDefault = "exclusive", meaning = """
                Locks of PREPARE. exclusive: READs reject locked objects. readable: READs accept them until the transaction \
                commits, as printed; READs outside of transactions may then see a later transaction's write before an earlier \
                one. With workload.writes.""") Locking locking,

        @Key(byDefault = "versions-and-locks", meaning = """
                Validation of objects that were only read. versions-and-locks: the version must be unchanged and the object not \
                locked. versions: the version must be unchanged, as printed, which is not serializable. With workload.writes.""")
        Validation validation) {

    /** Distribution of a transaction's objects over machines. */
    public enum Spread {
        ALL,
        ONE_MACHINE
    }

    CommitRules rules(ReplicationMode replication) {
        return CommitRules.CORRECTED.with(replication).with(locking).with(validation);
    }
}
