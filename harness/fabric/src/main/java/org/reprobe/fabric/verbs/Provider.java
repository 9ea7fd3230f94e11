package org.reprobe.fabric.verbs;

import org.reprobe.fabric.FabricException;
import org.reprobe.verbs.DisniProvider;

/** Who carries DiSNI's calls out. */
enum Provider {
    /** {@link org.reprobe.verbs}: everything. */
    RDMA_CORE,
    /** DiSNI's own native half, where a user has it: no atomics, regions of at most 2 GiB, no chosen outstanding READs. */
    LIBDISNI;

    /** The one that {@code -Dreprobe.verbs.provider} names, made ready. */
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
                            "rdma-core could not be loaded; ./run.sh doctor says what is missing", missing);
                }
                return RDMA_CORE;
            }
            case "libdisni" -> {
                try {
                    System.loadLibrary("disni"); // as DiSNI does, but with words for the user
                } catch (UnsatisfiedLinkError missing) {
                    throw new FabricException(
                            "libdisni is not there (" + missing.getMessage()
                                    + "): build it from DiSNI's repository, or leave -Dreprobe.verbs.provider=libdisni away,"
                                    + " rdma-core needs none",
                            missing);
                }
                return LIBDISNI;
            }
            default ->
                throw new FabricException("reprobe.verbs.provider is rdma-core or libdisni, not \"" + name + "\"");
        }
    }

    /** Says what the stock provider can't do. */
    String cannot(String what) {
        return "DiSNI's own native library has no " + what
                + ": leave -Dreprobe.verbs.provider=libdisni away, rdma-core does it";
    }
}
