package org.reprobe.remote;

import java.util.function.LongUnaryOperator;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.NamedWorkload.Writes;
import org.reprobe.workload.Rng;
import org.reprobe.workload.ScrambledZipf;

/** One run of a system whose clients read and write values by keys of 8 bytes, one operation after the other. */
public abstract class KeyValueDeployment extends RemoteDeployment {
    protected KeyValueDeployment(Settings settings, int repeat) {
        super(settings, repeat);
    }

    /** Bytes of a record's value: all but its key. */
    protected final int valueBytes() {
        return settings().table().recordBytes() - Long.BYTES;
    }

    /**
     * What clients do: each operation is for a key that is loaded, or, where writes are of new keys, for one that is not.
     *
     * @param keys those loaded
     * @param newKeys what the system's own key says of that; a named workload says it itself
     */
    protected final Workload workload(
            KeyValueWorkload.Connector connector,
            long[] keys,
            boolean newKeys,
            LongUnaryOperator fresh,
            Settings.Measure measure,
            long runSeed) {
        Settings.Workload asked = settings().workload();
        return new KeyValueWorkload(
                new KeyValueWorkload.Parameters(
                        connector,
                        keys,
                        asked.writes(),
                        !asked.isNamed() && newKeys ? Writes.INSERT : asked.kind(),
                        asked.isNamed() && asked.kind() == Writes.INSERT,
                        runSeed,
                        choice(keys.length, runSeed),
                        coin(runSeed),
                        fresh,
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }

    /** Random bits of a client's and an operation's number. */
    protected final LongUnaryOperator coin(long runSeed) {
        return operation -> Rng.at(runSeed, operation);
    }

    /** Which loaded key an operation is for: uniform, or skewed by Zipf's law. */
    protected final LongUnaryOperator choice(int loaded, long runSeed) {
        if (settings().workload().isNamed()) {
            return new ScrambledZipf(loaded, ~runSeed);
        }
        if (settings().workload().keys() != Distribution.ZIPF) {
            return operation -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, operation), loaded);
        }
        KeySpec spec = new KeySpec(Distribution.ZIPF, settings().workload().theta(), loaded);
        KeySet keys = KeySets.of(spec, Long.MAX_VALUE, runSeed);
        // A rank's key is a number of 32 bits that stands for it: any loaded key will do, always the same.
        return operation -> (Integer.toUnsignedLong(keys.key(operation)) * loaded) >>> 32;
    }
}
