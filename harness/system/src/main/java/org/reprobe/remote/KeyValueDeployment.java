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

/** Run of a system whose clients read and write values by 8-byte keys, one operation after the other. */
public abstract class KeyValueDeployment extends RemoteDeployment {
    protected KeyValueDeployment(Settings settings, int repeat) {
        super(settings, repeat);
    }

    protected final int valueBytes() {
        return settings().table().recordBytes() - Long.BYTES;
    }

    /**
     * Returns the clients' workload. Inserts use absent keys, all other operations {@code keys}, the loaded keys. If
     * {@code newKeys}, a setting of the system, writes are inserts; it has no effect with a named workload.
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

    protected final LongUnaryOperator coin(long runSeed) {
        return operation -> Rng.at(runSeed, operation);
    }

    /**
     * Returns the number of ranks of Zipf's law: {@code loaded}, or that of a larger table that this one represents.
     */
    protected long ranks(int loaded) {
        return loaded;
    }

    /** Returns the function from an operation's number to the ordinal of its key, uniform or by Zipf's law. */
    protected final LongUnaryOperator choice(int loaded, long runSeed) {
        if (settings().workload().isNamed()) {
            return new ScrambledZipf(loaded, ~runSeed);
        }
        if (settings().workload().keys() != Distribution.ZIPF) {
            return operation -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, operation), loaded);
        }
        KeySpec spec = new KeySpec(Distribution.ZIPF, settings().workload().theta(), ranks(loaded));
        KeySet keys = KeySets.of(spec, Long.MAX_VALUE, runSeed);
        // A rank's key, a 32-bit number, is scaled to the ordinal of a loaded key. The mapping is arbitrary but fixed.
        return operation -> (Integer.toUnsignedLong(keys.key(operation)) * loaded) >>> 32;
    }
}
