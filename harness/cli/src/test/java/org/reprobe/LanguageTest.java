package org.reprobe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.testing.Project;

/**
 * Language of the repository's prose: Markdown, Javadoc, comments, messages, templates and comments of YAML files
 * follow the rules of CONTRIBUTING.md that a pattern can check. Exceptions are in {@code language-exceptions.txt}, each
 * with a reason.
 */
class LanguageTest {
    private static final Set<String> EXTENSIONS = Set.of("java", "md", "jte", "yaml", "yml", "sh");

    /** Folders at the top whose files are read; other folders there are a user's own. */
    private static final Set<String> FOLDERS =
            Set.of(".github", "analysis", "docs", "harness", "plots", "results", "scenarios");

    private static final Set<String> RESULTS = Set.of("published", "baselines", "benchmarks");

    private static final String PERSON =
            "(?:researchers?|users?|people|persons?|developers?|planners?|readers?|authors?|reviewers?|engineers?|newcomers?"
                    + "|maintainers?|evaluators?|attackers?|everyone|anyone|those)";
    private static final String SOURCE =
            "(?:papers?|texts?|sections?|authors?|standard|specification|manual|documentation|README|article|abstract|caption|title)";

    private static final Pattern OPENING = Pattern.compile(
            "^\\s*(?:/\\*\\*|\\*)\\s+(?:What|Whether|How|Why|Who|Whose|Whom|Those|That|Of|By|As|For|In|On|With|Where|When|Which)\\b");

    /** A rule, and where its pattern is allowed. */
    private enum Rule {
        NAMED_SUBJECT(
                "name the subject instead of",
                "\\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ww]hoever|[Ww]homever)\\b|\\b(?:Who|Whose|who)\\b",
                "\\b" + PERSON + ",? (?:\\w+ )?who\\b"),
        NO_PERSONIFICATION(
                "a program does not do this:",
                "\\b(?:(?:is|was|are|were) told|tells?|is asked|asks?|told (?:of|by)|says?|hears?|knows? of|ha(?:s|ve) said|meets?"
                        + "|speaks? of)\\b",
                "\\b" + SOURCE + "\\b[^.;]{0,25}\\b(?:says?|tells?|speaks? of)\\b|\\bdid you\\b|can(?:no|'|)t[- ]tell"),
        RATES_WITH_PER(
                "a rate is \"per\", not \"a\":",
                "\\b(?:READs?|WRITEs?|lines?|packets?|bytes|files?|claims?|threads?|runs?|bits?) an? (?:lookup|run|machine|figure|thread"
                        + "|READ|message|packet|operation|system|paper|protocol|second|record|slot|queue pair)\\b",
                "(?!)"),
        NO_RIDDLES(
                "say it plainly:",
                "\\b(?:for want of|of its own accord|comes? of|what there is|one's own|is over and|what comes out|held against|of theirs"
                        + "|of ours|its own business|goes on as|has to say|nobody's)\\b",
                "(?!)");

        private final String advice;
        private final Pattern forbidden;
        private final Pattern allowed;

        Rule(String advice, String forbidden, String allowed) {
            this.advice = advice;
            this.forbidden = Pattern.compile(forbidden);
            this.allowed = Pattern.compile(allowed, Pattern.CASE_INSENSITIVE);
        }

        /** Returns the words that break the rule; empty for none. */
        String broken(String prose) {
            Matcher matcher = forbidden.matcher(allowed.matcher(prose).replaceAll(" "));
            return matcher.find() ? matcher.group() : "";
        }
    }

    /** Place where a rule is broken. */
    private record Finding(String file, int line, String advice, String words, String text) {
        @Override
        public String toString() {
            return "%s:%d: %s \"%s\" in: %s".formatted(file, line, advice, words, text.strip());
        }
    }

    /** Accepted place: all lines of a file that contain a fragment. */
    private record Accepted(String file, String fragment) {
        boolean accepts(Finding finding) {
            return finding.file.equals(file) && finding.text.contains(fragment);
        }
    }

    @Test
    void proseFollowsTheRules() throws IOException {
        List<Accepted> exceptions = exceptions();
        Set<Accepted> unused =
                new TreeSet<>(Comparator.comparing(Accepted::file).thenComparing(Accepted::fragment));
        unused.addAll(exceptions);
        List<Finding> broken = new ArrayList<>();
        for (Path file : files()) {
            String name = Project.folder().relativize(file).toString();
            for (Finding finding : findings(name, Files.readAllLines(file))) {
                List<Accepted> accepting =
                        exceptions.stream().filter(one -> one.accepts(finding)).toList();
                unused.removeAll(accepting);
                if (accepting.isEmpty()) {
                    broken.add(finding);
                }
            }
        }
        assertThat(broken).as("places: " + broken.size() + " " + counts(broken)).isEmpty();
        assertThat(unused).as("exceptions that nothing needs").isEmpty();
        assertThat(exceptions).as("exceptions").hasSizeLessThan(60);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.java | /** What a card does. */",
                "a.java |  * Whether it ends.",
                "a.md   | A client that hangs is nobody's business.",
                "a.md   | The server asks for a word.",
                "a.md   | A lookup needs 2 READs a lookup.",
                "a.md   | It fails for want of room.",
                "a.java | // The other is told of it.",
                "a.java | throw new Refusal(\"the program tells which file it is\");",
                "a.yaml | key: 1 # what the card says",
                "a.sh   | # asks for a password",
                "a.jte  | <p>Who asks.</p>"
            })
    void aSentenceThatBreaksARuleIsFound(String name, String line) {
        List<String> lines = line.startsWith(" *") || line.startsWith("* ") ? List.of("/**", line) : List.of(line);
        assertThat(findings(name.strip(), lines)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/** Returns true if a card has ended. */",
                "// Section 4 says that it ends.",
                "String asks = tells(says);",
                "throw new Refusal(\"did you mean this?\");",
                "/** Options for users who run it at night. */"
            })
    void plainSentencesAndCodeAreAccepted(String line) {
        assertThat(findings("a.java", List.of(line))).isEmpty();
    }

    private static List<Finding> findings(String file, List<String> lines) {
        List<Finding> findings = new ArrayList<>();
        String extension = file.substring(file.lastIndexOf('.') + 1);
        String previous = "";
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (extension.equals("java")
                    && (line.strip().startsWith("/** ") || previous.strip().equals("/**"))
                    && OPENING.matcher(line).find()) {
                findings.add(new Finding(file, i + 1, "begin with a noun or a verb, not with", firstWord(line), line));
            } else {
                String prose = prose(extension, line);
                for (Rule rule : Rule.values()) {
                    String words = rule.broken(prose);
                    if (!words.isEmpty()) {
                        findings.add(new Finding(file, i + 1, rule.advice, words, line));
                        break;
                    }
                }
            }
            previous = line;
        }
        return findings;
    }

    private static String firstWord(String line) {
        return line.replaceFirst("^[\\s/*]+", "").split(" ", 2)[0];
    }

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern YAML_COMMENT = Pattern.compile("(?:^|\\s)#(.*)$");

    /** Returns the part of a line that is read as prose. */
    private static String prose(String extension, String line) {
        return switch (extension) {
            case "java" -> {
                String code = line.strip();
                if (code.startsWith("*") || code.startsWith("/*") || code.startsWith("//")) {
                    yield code;
                }
                int comment = code.indexOf(" // ");
                yield LITERAL.matcher(code)
                                .results()
                                .map(literal -> literal.group(1))
                                .collect(Collectors.joining(" "))
                        + (comment < 0 ? "" : code.substring(comment));
            }
            case "yaml", "yml" -> {
                Matcher comment = YAML_COMMENT.matcher(line);
                String text = line.replaceFirst("^\\s*(?:title|what|description|note|why|text|source):", "");
                yield comment.find() ? comment.group(1) : text.length() < line.length() ? text : "";
            }
            default -> line;
        };
    }

    private static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(Project.folder(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                Path relative = Project.folder().relativize(folder);
                String top = relative.getName(0).toString();
                boolean skipped = relative.endsWith("target")
                        || !top.isEmpty() && !FOLDERS.contains(top)
                        || relative.getNameCount() == 2
                                && top.equals("results")
                                && !RESULTS.contains(relative.getName(1).toString());
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
                boolean shell = name.equals("run.sh") || file.startsWith(Project.path("harness"));
                String extension = name.substring(name.lastIndexOf('.') + 1);
                if (EXTENSIONS.contains(extension)
                        && (shell || !extension.equals("sh"))
                        && !name.equals("languagetest.java")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        files.sort(null);
        return files;
    }

    private static List<Accepted> exceptions() throws IOException {
        List<Accepted> exceptions = new ArrayList<>();
        Path file = Project.path("harness/cli/src/test/resources/language-exceptions.txt");
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split(" \\| ", -1);
                assertThat(parts).as("file | fragment | reason: " + line).hasSize(3);
                exceptions.add(new Accepted(parts[0].strip(), parts[1].strip()));
            }
        }
        return exceptions;
    }

    private static Map<String, Long> counts(List<Finding> findings) {
        return findings.stream().collect(Collectors.groupingBy(Finding::advice, Collectors.counting()));
    }
}
