package org.reprobe.farm;

import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.commit.ReplicationMode;

/** What transactions are like, and how they commit; the rest is said by {@link FarmSettings}. */
@Section(name = "transactions", meaning = """
        Scheme farm-transactions: threads of machines that serve and ask run transactions over objects of all of them. \
        table.records says how many objects there are, table.record-bytes their payload.""")
public record TransactionSettings(
        @Key(byDefault = "4", min = 1, max = 64, meaning = """
                Objects that a transaction reads, drawn as workload.keys says, no two alike: by READs all at once.""")
        int readObjects,

        @Key(byDefault = "2", min = 0, max = 64, meaning = """
                How many of these it writes. With workload.writes, the share of the transactions that do.""")
        int writtenObjects,

        @Key(byDefault = "all", meaning = """
                Whose objects a transaction reads. all: of all machines, as they are drawn. one-machine: of the machine that has the first that is \
                drawn: for each other one that is drawn, the one near it that this machine has.""") Spread spread,

        @Key(byDefault = "false", meaning = """
                Whether a transaction whose objects are all of one other machine is shipped to it: in one message, and a thread there reads, commits \
                and, after an abort, begins anew, before it answers with what was read.""") boolean shipped,

        @Key(byDefault = "0", min = 0, max = 1_000_000, meaning = """
                Bytes of a part that each object has, a further object near it: a multiple of 8, 16 at least. The last two words of an object lead \
                to it. A transaction reads the parts of its objects once these are read, and allocates another one for each object that it writes, \
                by a message where the object is another machine's; the old one is freed. 0: none.""")
        int partBytes,

        @Key(byDefault = "exclusive", meaning = """
                How PREPARE locks. exclusive: READs don't accept what is locked. readable: they do, until the transaction commits, as \
                printed; READs outside of transactions may then see a later transaction's object before an earlier one's. With workload.writes.""") Locking locking,

        @Key(byDefault = "versions-and-locks", meaning = """
                When what was only read still holds. versions-and-locks: its version is as it was, and nobody has locked it. versions: the \
                first alone, as printed, which is not serializable. With workload.writes.""")
        Validation validation) {

    /** Whose objects are a transaction's. */
    public enum Spread {
        ALL,
        ONE_MACHINE
    }

    CommitRules rules(ReplicationMode replication) {
        return CommitRules.CORRECTED.with(replication).with(locking).with(validation);
    }
}
