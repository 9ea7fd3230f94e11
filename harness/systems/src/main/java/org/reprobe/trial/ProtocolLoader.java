package org.reprobe.trial;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.reprobe.explore.Trial;

/**
 * The protocols' classes and their trials, loaded once more, each changed on its way in: with marks at its branches, or with a
 * fault. The protocols themselves know nothing of it, and cost nothing more where they run as they are.
 */
public final class ProtocolLoader extends ClassLoader {
    private static final Pattern LOADED_HERE =
            Pattern.compile("org\\.reprobe\\.(nessie|pilaf|findorput|remote|trial)\\.[^.]*");

    private final Function<byte[], byte[]> change;
    private final Pattern loadedHere;

    /** @param change of a class file; gets all those loaded here */
    public ProtocolLoader(Function<byte[], byte[]> change) {
        this(change, LOADED_HERE);
    }

    /** @param loadedHere names of classes that are loaded once more */
    ProtocolLoader(Function<byte[], byte[]> change, Pattern loadedHere) {
        super(ProtocolLoader.class.getClassLoader());
        this.change = change;
        this.loadedHere = loadedHere;
    }

    /** A trial of a configuration, made of classes loaded here. */
    @SuppressWarnings("unchecked")
    public Trial trial(String configuration) {
        try {
            return ((Function<String, Trial>)
                            loadClass(Trials.class.getName()).getConstructor().newInstance())
                    .apply(configuration);
        } catch (ReflectiveOperationException e) {
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
