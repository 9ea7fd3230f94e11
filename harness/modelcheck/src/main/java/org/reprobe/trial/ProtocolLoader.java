package org.reprobe.trial;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.reprobe.explore.Trial;

/**
 * Class loader that loads protocols and their trials once more and changes each class, for example by marks at its
 * branches or by a mutation. The original classes are unaffected.
 */
public final class ProtocolLoader extends ClassLoader {
    private final Function<byte[], byte[]> change;
    private final Pattern ownClasses;

    /**
     * Creates a loader of the systems' packages and the classes {@code besides}, such as {@link Taken}, which changed
     * code calls. {@code change} returns the changed bytes of a class file.
     */
    public ProtocolLoader(Function<byte[], byte[]> change, Collection<DerivedSystem> systems, Class<?>... besides) {
        this(change, pattern(systems, besides));
    }

    private static Pattern pattern(Collection<DerivedSystem> systems, Class<?>... besides) {
        return Pattern.compile(Stream.concat(
                        systems.stream()
                                .flatMap(system -> system.packages().stream())
                                .distinct()
                                .map(name -> Pattern.quote(name + ".") + ".*"),
                        Arrays.stream(besides).map(type -> Pattern.quote(type.getName())))
                .collect(Collectors.joining("|")));
    }

    ProtocolLoader(Function<byte[], byte[]> change, Pattern ownClasses) {
        super(ProtocolLoader.class.getClassLoader());
        this.change = change;
        this.ownClasses = ownClasses;
    }

    @SuppressWarnings("unchecked")
    public Trial trial(DerivedSystem system, String configuration) {
        try {
            return DerivedSystem.trial(
                    (Class<? extends Function<String, Trial>>)
                            loadClass(system.trials().getName()),
                    configuration);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("trials can't be loaded", e);
        }
    }

    static byte[] classFile(String name) {
        String path = name.replace('.', '/') + ".class";
        try (InputStream in = ProtocolLoader.class.getClassLoader().getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no class " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!ownClasses.matcher(name).matches()) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            byte[] bytes;
            try {
                bytes = classFile(name);
            } catch (IllegalArgumentException e) {
                throw new ClassNotFoundException(name, e);
            }
            byte[] changed = change.apply(bytes);
            return defineClass(name, changed, 0, changed.length);
        }
    }
}
