package org.reprobe.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.testing.Project;

class PlannedSchemesTest {

    static Stream<PlannedScheme> planned() {
        return Systems.planned().stream();
    }

    /** Else a plan could not be simulated, nor its words be used in a scenario. */
    @ParameterizedTest
    @MethodSource("planned")
    void aPlannedSchemeHasTheNameTheTitleAndTheKeysOfItsSystem(PlannedScheme planned) throws Exception {
        SystemUnderTest system = Systems.of(planned.key());
        assertThat(system.schemes().stream()
                        .filter(scheme -> scheme.name().equals(planned.key()))
                        .map(Scheme::title))
                .containsExactly(planned.title());
        List<String> sections = system.sections().stream()
                .map(section -> Objects.requireNonNull(section.getAnnotation(Section.class))
                        .name())
                .toList();
        NicProfile nic = NicProfiles.load(Project.path("scenarios/nics"), "connectx5-edr");
        TableShape shape = planned.shape(nic, 0.25, true, 16, 0);
        assertThat(shape).isNotNull();
        assertThat(shape.settings()).isNotEmpty();
        assertThat(shape.settings().keySet())
                .allSatisfy(key -> assertThat(sections).contains(key.substring(0, key.indexOf('.'))));
    }
}
