package org.reprobe.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Faults in the sources of some packages, for a test that has to find them. The packages are loaded again, with the
 * changed classes recompiled, so that the sources themselves have neither faults nor switches for them. Sources must be
 * resources of their modules.
 */
public final class SeededFaults {
    private final String packages;
    private final Map<String, String> sources = new HashMap<>();

    /** @param packages name prefix of all classes that see the faults and of the test: {@code org.reprobe.farm.} */
    public SeededFaults(String packages) {
        this.packages = packages;
    }

    /** Replaces code of a class, named without the prefix; white space matches any. The code must occur once. */
    public SeededFaults replacing(String type, String code, String by) {
        String source = sources.computeIfAbsent(packages + type, SeededFaults::source);
        Pattern pattern = Pattern.compile(
                Arrays.stream(code.strip().split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+")));
        Matcher found = pattern.matcher(source);
        if (!found.find()) {
            throw new IllegalArgumentException(type + " has no code: " + code);
        }
        String changed = source.substring(0, found.start()) + by + source.substring(found.end());
        if (found.find()) {
            throw new IllegalArgumentException(type + " has this code more than once: " + code);
        }
        sources.put(packages + type, changed);
        return this;
    }

    /** Removes code of a class, found as by {@link #replacing}. */
    public SeededFaults without(String type, String code) {
        return replacing(type, code, "");
    }

    private static String source(String type) {
        String path = type.replace('.', '/') + ".java";
        return new String(resource(path), StandardCharsets.UTF_8);
    }

    private static byte[] resource(String path) {
        try (InputStream in = SeededFaults.class.getClassLoader().getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no resource " + path);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls a static method of unique name with the faults; parameters and result are of other packages' classes. */
    public @Nullable Object call(Class<?> in, String method, Object... arguments) throws Exception {
        Class<?> loaded = new Loader(packages, compiled()).loadClass(in.getName());
        Method called = Arrays.stream(loaded.getDeclaredMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(in + " has no method " + method));
        called.setAccessible(true);
        try {
            return called.invoke(null, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            throw e;
        }
    }

    private Map<String, byte[]> compiled() throws IOException {
        if (sources.isEmpty()) {
            return Map.of();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
                Classes classes = new Classes(standard)) {
            standard.setLocation(StandardLocation.SOURCE_PATH, List.of());
            List<Source> changed = new ArrayList<>();
            sources.forEach((type, text) -> changed.add(new Source(type, text)));
            List<String> options = List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"));
            if (!compiler.getTask(messages, classes, null, options, null, changed)
                    .call()) {
                throw new IllegalArgumentException("the changed code can't be compiled:\n" + messages);
            }
            return classes.compiled();
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///" + type.replace('.', '/') + Kind.SOURCE.extension), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Classes extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> files = new HashMap<>();

        Classes(StandardJavaFileManager standard) {
            super(standard);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                JavaFileManager.Location location,
                String type,
                JavaFileObject.Kind kind,
                @Nullable FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("bytes:///" + type.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return files.computeIfAbsent(type, _ -> new ByteArrayOutputStream());
                }
            };
        }

        Map<String, byte[]> compiled() {
            return files.entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, each -> each.getValue().toByteArray()));
        }
    }

    private static final class Loader extends ClassLoader {
        private final String packages;
        private final Map<String, byte[]> changed;

        Loader(String packages, Map<String, byte[]> changed) {
            super(SeededFaults.class.getClassLoader());
            this.packages = packages;
            this.changed = changed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(packages)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                byte[] bytes = changed.get(name);
                if (bytes == null) {
                    bytes = resource(name.replace('.', '/') + ".class");
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        }
    }
}
