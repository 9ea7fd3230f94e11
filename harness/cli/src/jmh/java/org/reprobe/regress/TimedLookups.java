package org.reprobe.regress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.SplittableRandom;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySpec;

/** Timed lookups of random keys in a real table in plain memory: real time, real cache misses, this machine's noise. */
final class TimedLookups implements Timings {
    private static final double LOAD_FACTOR = 0.65;

    private final TableImage image;
    private final long records;
    private final SplittableRandom random = new SplittableRandom(3);
    private long matches;
    private int perRun;

    TimedLookups(long records) throws TableRefusedException {
        this.records = records;
        this.image = table(records);
    }

    static TableImage table(long records) throws TableRefusedException {
        return TableBuilder.build(
                new TableSpec(
                        TableKind.LINEAR,
                        Storage.INLINE,
                        records,
                        8,
                        LOAD_FACTOR,
                        1,
                        3,
                        1,
                        new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                        1),
                1);
    }

    @Override
    public void tune(double aimNs) {
        for (int i = 0; i < 200; i++) {
            timeNs(20_000);
        }
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < 50; i++) {
            best = Math.min(best, timeNs(20_000));
        }
        perRun = (int) (aimNs / best * 20_000);
    }

    @Override
    public double timeNs(double slowdown) {
        return timeNs((int) Math.round(perRun * (1 + slowdown)));
    }

    @Override
    public String what() {
        return String.format(
                Locale.ROOT,
                "runs of %,d lookups in plain memory; the slower side really makes so many more lookups a run",
                perRun);
    }

    private double timeNs(int lookups) {
        long startNs = System.nanoTime();
        MemorySegment memory = image.table();
        long slots = image.geometry().slots();
        long found = 0;
        for (int i = 0; i < lookups; i++) {
            int key = image.keys().key(random.nextLong(records));
            long slot = Hashing.home(key, slots);
            while (true) {
                int there = memory.get(ValueLayout.JAVA_INT, slot * 8);
                if (there == 0) {
                    break;
                }
                if (there == key) {
                    found++;
                }
                if (++slot == slots) {
                    slot = 0;
                }
            }
        }
        long endNs = System.nanoTime();
        matches += found;
        if (found < lookups) {
            throw new IllegalStateException("a lookup found nothing");
        }
        return endNs - startNs;
    }

    /** Sum of all finds, so that nothing is optimized away. */
    long matches() {
        return matches;
    }

    @Override
    public void close() {
        image.close();
    }
}
