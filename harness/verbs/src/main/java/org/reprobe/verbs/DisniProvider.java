package org.reprobe.verbs;

import com.ibm.disni.util.DiSNILogger;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;

/**
 * DiSNI provider over rdma-core without libdisni: call {@link #install()} once before any other use of DiSNI.
 *
 * <p>DiSNI holds its provider in a private field, which {@link #install} sets. DiSNI's class for thread affinity, which
 * loads libdisni, is replaced. Programs that need libdisni itself must not install this provider. libdisni has no
 * atomics, no regions beyond 2 GiB and no choice of connection depths.
 */
public final class DisniProvider extends RdmaProvider {
    private static boolean installed;

    private final RdmaCm cm = new CoreCm();
    private final RdmaVerbs verbs = new CoreVerbs();

    private DisniProvider() {}

    /**
     * Makes DiSNI use rdma-core; further calls have no effect. Throws an {@link UnsatisfiedLinkError}, which names the
     * package, if rdma-core is missing. Throws an {@link IllegalStateException} if DiSNI has used another provider.
     */
    public static synchronized void install() {
        if (installed) {
            return;
        }
        RdmaProvider ours = new DisniProvider();
        try {
            Field provider = RdmaProvider.class.getDeclaredField("provider");
            provider.setAccessible(true);
            if (provider.get(null) != null) {
                throw new IllegalStateException("DiSNI has been used with another provider already");
            }
            provider.set(null, ours);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this DiSNI keeps its provider elsewhere: DiSNI 2.1 is needed", e);
        }
        replaceAffinity();
        installed = true;
    }

    /** Defines {@code com.ibm.disni.util.NativeAffinity} before DiSNI's own is loaded, which requires libdisni. */
    private static void replaceAffinity() {
        ClassDesc name = ClassDesc.of("com.ibm.disni.util.NativeAffinity");
        ClassDesc target = ThreadAffinity.class.describeConstable().orElseThrow();
        MethodTypeDesc setter = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long);
        MethodTypeDesc getter = MethodTypeDesc.of(ConstantDescs.CD_long);
        int publicStatic = ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC;
        byte[] code = ClassFile.of()
                .build(
                        name,
                        type -> type.withFlags(ClassFile.ACC_PUBLIC)
                                .withMethodBody(
                                        "setAffinity",
                                        setter,
                                        publicStatic,
                                        body -> body.lload(0)
                                                .invokestatic(target, "set", setter)
                                                .return_())
                                .withMethodBody(
                                        "getAffinity",
                                        getter,
                                        publicStatic,
                                        body -> body.invokestatic(target, "get", getter)
                                                .lreturn()));
        try {
            MethodHandles.privateLookupIn(DiSNILogger.class, MethodHandles.lookup())
                    .defineClass(code);
        } catch (LinkageError _) {
            // DiSNI's own class was loaded before, so libdisni is present.
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("DiSNI must be on the class path, not in a named module", e);
        }
    }

    @Override
    public RdmaCm openCm() {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() {
        return verbs;
    }

    @Override
    public int getVersion() {
        return 201; // DiSNI 2.1; libdisni's own numbers are unused
    }
}
