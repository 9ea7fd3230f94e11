package org.reprobe.workload;

/** Keys that are requested with the skew of {@link ScrambledZipf}. */
public record RequestedRecords(KeySet keys) implements KeySet {
    @Override
    public long records() {
        return keys.records();
    }

    @Override
    public int key(long ordinal) {
        return keys.key(ordinal);
    }

    @Override
    public Choice choice() {
        ScrambledZipf requests = new ScrambledZipf(records(), 0);
        return random -> requests.applyAsLong(random.next());
    }
}
