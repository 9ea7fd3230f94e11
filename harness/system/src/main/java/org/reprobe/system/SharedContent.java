package org.reprobe.system;

import org.jspecify.annotations.Nullable;

/** A deployment whose clients only read the server's memory, so that runs with equal content share it. */
public interface SharedContent extends Deployment {

    /** Returns what the server's memory holds. */
    Content content();

    /** Returns the content that a run shares; null where the run shares none. */
    static @Nullable Content of(Run run) {
        return run instanceof SharedContent shared ? shared.content() : null;
    }
}
