package org.reprobe.fabric.verbs;

import org.reprobe.fabric.FabricException;
import org.reprobe.verbs.DisniProvider;

/** Implementation of DiSNI's calls. */
enum Provider {
    /** {@link org.reprobe.verbs}, without restrictions. */
    RDMA_CORE,
    /** DiSNI's native library: no atomics, regions of at most 2 GiB, a fixed number of outstanding READs. */
    LIBDISNI;

    /** Loads the provider selected by {@code -Dreprobe.verbs.provider}. */
    @SuppressWarnings({"RefactorSwitch", "restricted"}) // reads worse as an expression
    static Provider chosen() throws FabricException {
        String name = System.getProperty("reprobe.verbs.provider", "rdma-core");
        switch (name) {
            case "rdma-core" -> {
                try {
                    DisniProvider.install();
                } catch (UnsatisfiedLinkError missing) {
                    throw new FabricException(String.valueOf(missing.getMessage()), missing);
                } catch (NoClassDefFoundError missing) {
                    throw new FabricException(
                            "rdma-core could not be loaded; ./run.sh doctor lists what is missing", missing);
                }
                return RDMA_CORE;
            }
            case "libdisni" -> {
                try {
                    System.loadLibrary("disni"); // as DiSNI does, but with a message for the user
                } catch (UnsatisfiedLinkError missing) {
                    throw new FabricException(
                            "libdisni is missing (" + missing.getMessage()
                                    + "): build it from DiSNI's repository, or omit -Dreprobe.verbs.provider=libdisni,"
                                    + " rdma-core needs none",
                            missing);
                }
                return LIBDISNI;
            }
            default ->
                throw new FabricException("reprobe.verbs.provider is rdma-core or libdisni, not \"" + name + "\"");
        }
    }

    /** Returns the message for a capability that libdisni lacks. */
    String cannot(String what) {
        return "DiSNI's own native library has no " + what
                + ": omit -Dreprobe.verbs.provider=libdisni, rdma-core has them";
    }
}
