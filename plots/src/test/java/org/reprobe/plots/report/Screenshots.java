package org.reprobe.plots.report;

import java.nio.file.Files;
import java.nio.file.Path;

/** Screenshots of a report, for inspection: {@code Screenshots report.html DIRECTORY}. */
final class Screenshots {
    private Screenshots() {}

    public static void main(String[] arguments) throws Exception {
        Path report = Path.of(arguments[0]).toAbsolutePath();
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        try (Browser browser = new Browser(Browser.find().orElseThrow())) {
            for (boolean dark : new boolean[] {false, true}) {
                for (int[] size : new int[][] {{360, 740}, {1280, 800}}) {
                    browser.open(report, size[0], size[1], dark);
                    int parts = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 1;
                    double height = browser.evaluate("document.documentElement.scrollHeight")
                            .asDouble();
                    for (int part = 0; part < parts; part++) {
                        browser.evaluate("document.documentElement.style.scrollBehavior='auto';scrollTo(0,"
                                + height * part / parts + ")");
                        Files.write(
                                directory.resolve(size[0] + (dark ? "-dark-" : "-light-") + part + ".png"),
                                browser.screenshot());
                    }
                }
            }
        }
    }
}
