package org.reprobe.plots;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Templates of all pages, compiled with the program, and their one script, which the pages' policy allows by its hash.
 */
public final class Templates {
    /** Control characters in outputs of programs, which HTML cannot hold. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}&&[^\n\r\t]]");

    public static final String SCRIPT = script();

    private static final String SCRIPT_HASH = hash();

    private Templates() {}

    /** Returns a Content Security Policy: no script but ours, and images only from the given sources. */
    public static String policy(String images) {
        return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + SCRIPT_HASH + "'; img-src "
                + images;
    }

    private static String hash() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(SCRIPT.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static String script() {
        try (InputStream in = Templates.class.getResourceAsStream("page.js")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Renders a template with its one parameter. */
    public static String render(String template, Object page) {
        TemplateEngine engine = TemplateEngine.createPrecompiled(
                null, ContentType.Html, Templates.class.getClassLoader(), "org.reprobe.plots.report.templates");
        StringOutput output = new StringOutput();
        engine.render(template, page, output);
        return UNPRINTABLE
                .matcher(output.toString())
                .replaceAll(found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
    }
}
