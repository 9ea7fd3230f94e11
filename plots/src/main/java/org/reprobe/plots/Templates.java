package org.reprobe.plots;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.regex.Pattern;

/** Templates of all pages, compiled with the program. */
public final class Templates {
    /** Control characters in outputs of programs, which HTML cannot hold. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}&&[^\n\r\t]]");

    private Templates() {}

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
