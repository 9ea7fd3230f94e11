package org.reprobe;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.reprobe.system.Systems;

/** What may know what within a module; Maven says which modules may know which. */
class ArchitectureTest {
    /** Test-jars of other modules are tests as well, which the option of the library doesn't know. */
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

    /** Maven lets the program name linear probing alone: calibration times its lookups. */
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

    /** The packages of all systems. */
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
     * {@link Math}'s functions may differ in the last digit from CPU to CPU, those of {@link StrictMath} may not. Simulated results
     * have the same bytes everywhere, so that parts of a sweep may be run anywhere.
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

    /** FaRM's packages, the lowest first; its schemes stand above all of them. */
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
}
