package org.reprobe.explore;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Timeline of the current schedule, if one is recorded. */
final class Timeline {
    private static final long[][] NOTHING = {};

    /** Maximum number of consecutive unsuccessful retries of a client that are recorded. */
    static final int RECORDED_RETRIES = 2;

    private final World world;
    private @Nullable Narration narration;
    /** Content of the memory at the last recorded change. */
    private long[][] recorded = NOTHING;

    Timeline(World world) {
        this.world = world;
    }

    void writeTo(@Nullable Narration to) {
        narration = to;
    }

    void add(Program who, Supplier<String> what) {
        Narration to = narration;
        if (to != null && who.idleRetries < RECORDED_RETRIES) {
            to.add(who.index, what.get());
        }
    }

    void addOperation(Program who, int invocation) {
        addStores(who);
        Narration to = narration;
        if (to != null) {
            to.addOperation(who.index, world.operation(invocation));
        }
    }

    void beginStores() {
        recorded = narration == null ? NOTHING : world.memory().contents();
    }

    void addStores(Program who) {
        Narration to = narration;
        if (to != null) {
            world.memory()
                    .reportChanges(
                            recorded,
                            (address, words, value) ->
                                    to.addStores(who.index, address, words, world.place(address), Request.text(value)));
            recorded = world.memory().contents();
        }
    }

    void addStep(Program who, Supplier<String> name, int step, int steps, Supplier<String> value) {
        Narration to = narration;
        if (to != null && who.idleRetries < RECORDED_RETRIES) {
            to.addWord(who.index, name.get(), step, steps, value.get());
        }
    }
}
