package org.reprobe;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What may know what. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.reprobe");

    @Test
    void onlyFabricsNamesAFabric() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.reprobe.fabric.*..")
                .and()
                .doNotHaveFullyQualifiedName("org.reprobe.run.Fabrics")
                .and(new com.tngtech.archunit.base.DescribedPredicate<>("are no benchmarks") {
                    @Override
                    public boolean test(com.tngtech.archunit.core.domain.JavaClass type) {
                        return type.getSource()
                                .map(source -> !source.getUri().toString().contains("test-classes"))
                                .orElse(true);
                    }
                })
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
    void theProviderForDisniCanBeHadWithoutTheRest() {
        noClasses()
                .that()
                .resideInAPackage("org.reprobe.verbs..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("org.reprobe.verbs..", "com.ibm.disni..", "java..", "org.jspecify..")
                .check(CLASSES);
    }

    @Test
    void schemesKnowNoFabricAndNoScenario() {
        noClasses()
                .that()
                .resideInAPackage("org.reprobe.scheme..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.reprobe.fabric.*..", "org.reprobe.scenario..", "org.reprobe.run..", "org.reprobe.cli..")
                .check(CLASSES);
    }

    @Test
    void protocolsKnowNoFabricAndNoScenario() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "org.reprobe.nessie..",
                        "org.reprobe.pilaf..",
                        "org.reprobe.findorput..",
                        "org.reprobe.remote..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.reprobe.fabric.*..", "org.reprobe.scenario..", "org.reprobe.run..", "org.reprobe.cli..")
                .check(CLASSES);
    }

    @Test
    void fabricsKnowNoTableAndNoScheme() {
        noClasses()
                .that()
                .resideInAPackage("org.reprobe.fabric..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.reprobe.table..",
                        "org.reprobe.scheme..",
                        "org.reprobe.workload..",
                        "org.reprobe.scenario..",
                        "org.reprobe.run..",
                        "org.reprobe.cli..")
                .check(CLASSES);
    }

    @Test
    void analysisKnowsNeitherPlotsNorTheProgram() {
        noClasses()
                .that()
                .resideInAPackage("org.reprobe.analysis..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.reprobe.plots..",
                        "org.reprobe.fabric..",
                        "org.reprobe.table..",
                        "org.reprobe.scheme..",
                        "org.reprobe.workload..",
                        "org.reprobe.scenario..",
                        "org.reprobe.run..",
                        "org.reprobe.cli..")
                .check(CLASSES);
    }

    @Test
    void plotsKnowsNothingOfTheProgram() {
        classes()
                .that()
                .resideInAPackage("org.reprobe.plots..")
                .should()
                .onlyDependOnClassesThat()
                .resideOutsideOfPackages(
                        "org.reprobe.fabric..",
                        "org.reprobe.table..",
                        "org.reprobe.scheme..",
                        "org.reprobe.workload..",
                        "org.reprobe.scenario..",
                        "org.reprobe.run..",
                        "org.reprobe.cli..")
                .check(CLASSES);
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
