package org.reprobe.system;

import org.jspecify.annotations.Nullable;

/** Deployment with read-only server memory, which runs with equal content share. */
public interface SharedContent extends Deployment {

    Content content();

    static @Nullable Content of(Run run) {
        return run instanceof SharedContent shared ? shared.content() : null;
    }
}
