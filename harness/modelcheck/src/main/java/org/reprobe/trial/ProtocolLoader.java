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
 * The protocols' classes and their trials, loaded once more, each changed on its way in: with marks at its branches, or with a
 * fault. The protocols themselves know nothing of it, and cost nothing more where they run as they are.
 */
public final class ProtocolLoader extends ClassLoader {
    private final Function<byte[], byte[]> change;
    private final Pattern loadedHere;

    /**
     * A loader of all packages of some systems, those of their trials included, and of some classes besides.
     *
     * @param change of a class file; gets all those loaded here
     * @param besides such as {@link Taken}: what changed code calls
     */
    public ProtocolLoader(Function<byte[], byte[]> change, Collection<DerivedSystem> systems, Class<?>... besides) {
        this(change, pattern(systems, besides));
    }

    private static Pattern pattern(Collection<DerivedSystem> systems, Class<?>... besides) {
        return Pattern.compile(Stream.concat(
                        systems.stream()
                                .flatMap(system -> system.packages().stream())
                                .distinct()
                                .map(name -> Pattern.quote(name + ".") + "(trials\\.)?[^.]*"),
                        Arrays.stream(besides).map(type -> Pattern.quote(type.getName())))
                .collect(Collectors.joining("|")));
    }

    /** @param loadedHere names of classes that are loaded once more */
    ProtocolLoader(Function<byte[], byte[]> change, Pattern loadedHere) {
        super(ProtocolLoader.class.getClassLoader());
        this.change = change;
        this.loadedHere = loadedHere;
    }

    /** A trial of a configuration of a system, made of classes loaded here. */
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

    /** Where a class file of a protocol or trial is to be had. */
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
        if (!loadedHere.matcher(name).matches()) {
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
