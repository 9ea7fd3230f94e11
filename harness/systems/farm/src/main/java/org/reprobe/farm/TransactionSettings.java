package org.reprobe.farm;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.commit.ReplicationMode;

/** Transactions and their commit, in addition to {@link FarmSettings}. */
@Section(name = "transactions", meaning = """
        Scheme farm-transactions: threads of machines, which are clients and servers, run transactions over objects of all \
        machines. table.records is the number of objects, table.record-bytes their payload.""")
public record TransactionSettings(
        @Key(byDefault = "4", min = 1, max = 64, meaning = """
                Objects that a transaction reads, drawn by workload.keys, all different: by READs posted at once.""")
        int readObjects,

        @Key(byDefault = "2", min = 0, max = 64, meaning = """
                Number of these objects that it writes. workload.writes is the share of the transactions that write.""")
        int writtenObjects,

        @Key(byDefault = "all", meaning = """
                Machines of a transaction's objects. all: of all machines, as drawn. one-machine: of the machine that has the \
                first drawn object: each further one is replaced by one near it on this machine.""") Spread spread,

        @Key(byDefault = "false", meaning = """
                True for shipping a transaction whose objects are all on one other machine: in one message to a thread there, \
                which reads, commits and, after an abort, begins again, before it replies with the objects read.""") boolean shipped,

        @Key(byDefault = "0", min = 0, max = 1_000_000, meaning = """
                Size in bytes of each object's part, a further object near it: a multiple of 8, at least 16. The \
                last two words of an object are its part's address. A transaction reads the parts after the objects. \
                For each object that it writes, it allocates a new part, by a message if the object is on another \
                machine, and frees the old one. 0: no parts.""")
        int partBytes,

        @Key(byDefault = "exclusive", meaning = """
                Locks of PREPARE. exclusive: READs reject locked objects. readable: READs accept them until the transaction \
                commits, as printed; READs outside of transactions may then see a later transaction's object before an earlier \
                one's. With workload.writes.""") Locking locking,

        @Key(byDefault = "versions-and-locks", meaning = """
                Validation of objects that were only read. versions-and-locks: the version is unchanged and the object not \
                locked. versions: the first only, as printed, which is not serializable. With workload.writes.""")
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
