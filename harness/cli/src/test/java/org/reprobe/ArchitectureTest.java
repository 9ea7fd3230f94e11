package org.reprobe;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.reprobe.system.Systems;
import org.reprobe.testing.Project;

/** Allowed dependencies within a module; Maven enforces those between modules. */
class ArchitectureTest {
    /** Classes without test-jars of other modules, which the library's option does not exclude. */
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar") && !location.contains("/test-classes/"))
            .importPackages("org.reprobe");

    @Test
    void onlyFabricsNamesAFabric() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.reprobe.fabric.*..")
                .and()
                .doNotHaveFullyQualifiedName("org.reprobe.run.Fabrics")
                .and() // the test kit simulates what it runs
                .doNotHaveFullyQualifiedName("org.reprobe.conformance.CellRun")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.reprobe.fabric.*..")
                .check(CLASSES);
    }

    @Test
    void fabricsDoNotKnowEachOther() {
        slices().matching("org.reprobe.fabric.(*)..")
                .should()
                .notDependOnEachOther()
                .check(CLASSES);
    }

    /** Maven lets the program depend on linear probing only: calibration times its lookups. */
    @Test
    void onlyCalibrationNamesASystem() {
        String[] systems = systems().toArray(String[]::new);
        noClasses()
                .that()
                .resideOutsideOfPackages(systems)
                .and()
                .resideOutsideOfPackage("org.reprobe.calibrate..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(systems)
                .check(CLASSES);
    }

    private static Stream<String> systems() {
        return Systems.all().stream()
                .map(system -> system.getClass().getPackageName())
                .filter(name -> name.startsWith("org.reprobe."))
                .map(name -> name + "..")
                .distinct();
    }

    @Test
    void nothingButTheCommandLinePrints() {
        noClasses()
                .that()
                .resideInAPackage("org.reprobe..")
                .and()
                .resideOutsideOfPackages("org.reprobe.cli..", "org.reprobe.testing..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(CLASSES);
    }

    /**
     * Functions of {@link Math} may differ in the last digit between CPUs, those of {@link StrictMath} may not.
     * Simulated results have the same bytes everywhere, so that parts of a sweep may run anywhere.
     */
    @Test
    void simulatedResultsDependOnNoFunctionThatDiffersFromCpuToCpu() {
        Set<String> differing = Set.of(
                "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "expm1", "log",
                "log10", "log1p", "pow", "cbrt", "hypot");
        noClasses()
                .that()
                .resideInAnyPackage(systems().toArray(String[]::new))
                .or()
                .resideInAnyPackage(
                        "org.reprobe.fabric..",
                        "org.reprobe.remote..",
                        "org.reprobe.sample..",
                        "org.reprobe.table..",
                        "org.reprobe.workload..",
                        "org.reprobe.system..",
                        "org.reprobe.run..",
                        "org.reprobe.analysis.model..",
                        "org.reprobe.analysis.nic..")
                .should()
                .accessTargetWhere(target(owner(type(Math.class)))
                        .and(target(describe("is a function that differs", to -> differing.contains(to.getName())))))
                .check(CLASSES);
    }

    @Test
    void packagesOfTheProgramDoNotDependOnEachOtherInCircles() {
        slices().matching("org.reprobe.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    /** A system's class names its trials, which run the system. */
    @Test
    void packagesOfNoSystemDoNotDependOnEachOtherInCircles() {
        JavaClasses others = CLASSES.that(resideOutsideOfPackages(systems().toArray(String[]::new)));
        slices().matching("org.reprobe.(**)").should().beFreeOfCycles().check(others);
    }

    /** Packages of FaRM, the lowest first; its schemes are above all of them. */
    private static final List<String> FARM =
            List.of("memory", "messages", "reads", "commit", "table", "transactions", "recovery", "tao", "trials");

    @Test
    void packagesOfFarmDependOnLowerOnesOnly() {
        for (int i = 0; i < FARM.size(); i++) {
            String[] higher = Stream.concat(
                            FARM.subList(i + 1, FARM.size()).stream().map(name -> "org.reprobe.farm." + name + ".."),
                            Stream.of("org.reprobe.farm"))
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage("org.reprobe.farm." + FARM.get(i) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(higher)
                    .check(CLASSES);
        }
    }

    /** A class as pages name it: {@code `Outer`}, {@code `a.package.Outer`}, {@code `Outer.member`}. */
    private static final Pattern CLASS =
            Pattern.compile("`(?:[a-z]+\\.)*([A-Z]\\w*[a-z]\\w*)(?:\\.\\w+)*(?:\\([^`]*\\))?`");

    private static final Set<String> CLASSES_OF_JAVA =
            Set.of("Continuation", "Math", "Runnable", "ServiceLoader", "StrictMath");

    private static final int FILES_PER_PACKAGE = 40;
    private static final int LINES_PER_PACKAGE = 6_000;

    @Test
    void packagesStaySmall() throws IOException {
        Map<Path, List<Path>> packages = sources().stream().collect(Collectors.groupingBy(Path::getParent));
        List<String> large = new ArrayList<>();
        for (Map.Entry<Path, List<Path>> each : packages.entrySet()) {
            int files = each.getValue().size();
            long lines = 0;
            for (Path file : each.getValue()) {
                lines += Files.readAllLines(file).size();
            }
            if (files > FILES_PER_PACKAGE || lines > LINES_PER_PACKAGE) {
                large.add("%s: %d files, %d lines".formatted(Project.folder().relativize(each.getKey()), files, lines));
            }
        }
        assertThat(large)
                .as("packages of more than %d files or %d lines", FILES_PER_PACKAGE, LINES_PER_PACKAGE)
                .isEmpty();
        assertThat(packages).hasSizeGreaterThan(100);
    }

    private static final int ARCHITECTURE_BYTES = 15_000;
    private static final int PAGE_BYTES = 8_000;

    @Test
    void pagesForMaintainersNameClassesThatExist() throws IOException {
        Set<String> classes = namesOfSources();
        Set<String> missing = new TreeSet<>();
        int named = 0;
        for (Path page : pagesForMaintainers()) {
            List<String> names = CLASS.matcher(Files.readString(page))
                    .results()
                    .map((MatchResult match) -> match.group(1))
                    .toList();
            named += names.size();
            names.stream()
                    .filter(name -> !classes.contains(name) && !CLASSES_OF_JAVA.contains(name))
                    .forEach(name -> missing.add(Project.folder().relativize(page) + ": " + name));
        }
        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(300);
    }

    @Test
    void pagesForMaintainersStayShort() throws IOException {
        assertThat(Project.path("ARCHITECTURE.md"))
                .satisfies(page -> assertThat(Files.size(page)).isLessThanOrEqualTo(ARCHITECTURE_BYTES));
        for (Path page : internals()) {
            assertThat(Files.size(page)).as("bytes of %s", page).isLessThanOrEqualTo(PAGE_BYTES);
        }
    }

    private static List<Path> pagesForMaintainers() throws IOException {
        List<Path> pages = new ArrayList<>(internals());
        pages.add(Project.path("ARCHITECTURE.md"));
        try (Stream<Path> systems = Files.list(Project.path("harness/systems"))) {
            systems.map(system -> system.resolve("README.md"))
                    .filter(Files::exists)
                    .forEach(pages::add);
        }
        return pages;
    }

    private static List<Path> internals() throws IOException {
        try (Stream<Path> files = Files.list(Project.path("docs/internals"))) {
            return files.sorted().toList();
        }
    }

    /** Returns the names of all source files, which are those of their classes. */
    private static Set<String> namesOfSources() throws IOException {
        Set<String> names = new HashSet<>();
        for (Path source : sources()) {
            String name = String.valueOf(source.getFileName());
            names.add(name.substring(0, name.length() - ".java".length()));
        }
        return names;
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String folder : List.of("analysis", "plots", "harness")) {
            Files.walkFileTree(Project.path(folder), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    return directory.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (String.valueOf(file.getFileName()).endsWith(".java")) {
                        sources.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return sources;
    }
}
