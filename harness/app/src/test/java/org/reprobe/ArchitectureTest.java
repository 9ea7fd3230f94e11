package org.reprobe;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Costly;

/** What may know what within a module; Maven says which modules may know which. */
@Costly(withinMinutes = 70)
class ArchitectureTest {
    /** A package each; {@code remote} has what several stand on. */
    private static final String[] SYSTEMS = {
        "org.reprobe.scheme..",
        "org.reprobe.nessie..",
        "org.reprobe.pilaf..",
        "org.reprobe.findorput..",
        "org.reprobe.farm..",
        "org.reprobe.remote..",
        "org.reprobe.memcached..",
        "org.reprobe.command.."
    };

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

    @Test
    void systemsKnowNoFabricByName() {
        noClasses()
                .that()
                .resideInAnyPackage(SYSTEMS)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.reprobe.fabric.*..")
                .check(CLASSES);
    }

    @Test
    void systemsDoNotKnowEachOther() {
        for (String system : SYSTEMS) {
            noClasses()
                    .that()
                    .resideInAPackage(system)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(Stream.of(SYSTEMS)
                            .filter(other -> !other.equals(system) && !other.equals("org.reprobe.remote.."))
                            .toArray(String[]::new))
                    .check(CLASSES);
        }
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

    @Test
    void packagesOfTheProgramDoNotDependOnEachOtherInCircles() {
        slices().matching("org.reprobe.(*)..").should().beFreeOfCycles().check(CLASSES);
    }
}
