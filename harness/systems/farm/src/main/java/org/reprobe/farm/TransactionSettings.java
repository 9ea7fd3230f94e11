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
                Number of these that it writes. With workload.writes, the share of the transactions that do.""")
        int writtenObjects,

        @Key(byDefault = "all", meaning = """
                Machines of a transaction's objects. all: of all machines, as drawn. one-machine: of the machine that has the \
                first drawn object: each further one is replaced by one near it on this machine.""") Spread spread,

        @Key(byDefault = "false", meaning = """
                True for shipping a transaction whose objects are all on one other machine: in one message to a thread there, \
                which reads, commits and, after an abort, begins again, before it replies with the objects read.""") boolean shipped,

        @Key(byDefault = "0", min = 0, max = 1_000_000, meaning = """
                Bytes of a part of each object, a further object near it: a multiple of 8, at least 16. The last two words of \
                an object are its address. A transaction reads the parts of its objects after the objects, and allocates a new \
                one for each object that it writes, by a message if the object is another machine's; the old one is freed. 0: \
                none.""")
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
