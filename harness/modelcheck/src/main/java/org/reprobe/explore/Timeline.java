package org.reprobe.explore;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Timeline of the schedule that runs, if one is written. */
final class Timeline {
    private static final long[][] NOTHING = {};

    /** Unsuccessful attempts of a client in a row that are written. */
    static final int TOLD_RETRIES = 2;

    private final World world;
    private @Nullable Narration narration;
    /** Contents of memory when its changes were last written. */
    private long[][] told = NOTHING;

    Timeline(World world) {
        this.world = world;
    }

    void writeTo(@Nullable Narration to) {
        narration = to;
    }

    void add(Program who, Supplier<String> what) {
        Narration to = narration;
        if (to != null && who.idleRetries < TOLD_RETRIES) {
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

    /** Notes memory before a program runs that may store there. */
    void beginStores() {
        told = narration == null ? NOTHING : world.memory().contents();
    }

    /** Adds what a program's CPU has stored in registered world.memory(). */
    void addStores(Program who) {
        Narration to = narration;
        if (to != null) {
            world.memory()
                    .tellChanges(
                            told,
                            (address, words, value) ->
                                    to.addStores(who.index, address, words, world.place(address), Request.text(value)));
            told = world.memory().contents();
        }
    }

    /** Adds a step of a READ or WRITE. */
    void addStep(Program who, Supplier<String> name, int step, int steps, Supplier<String> value) {
        Narration to = narration;
        if (to != null && who.idleRetries < TOLD_RETRIES) {
            to.addWord(who.index, name.get(), step, steps, value.get());
        }
    }
}
