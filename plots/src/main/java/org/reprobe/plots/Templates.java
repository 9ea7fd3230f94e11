package org.reprobe.plots;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;

/** The templates of all pages, compiled with the program. */
public final class Templates {

    private Templates() {}

    /** Returns the page that a template makes of its one parameter. */
    public static String render(String template, Object page) {
        TemplateEngine engine = TemplateEngine.createPrecompiled(
                null, ContentType.Html, Templates.class.getClassLoader(), "org.reprobe.plots.report.templates");
        StringOutput output = new StringOutput();
        engine.render(template, page, output);
        return output.toString();
    }
}
