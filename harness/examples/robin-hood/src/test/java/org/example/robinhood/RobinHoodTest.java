package org.example.robinhood;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.conformance.Conformance;

/** Conformance tests of the system. The only argument is this folder; other projects would use JUnit. */
final class RobinHoodTest {
    private RobinHoodTest() {}

    public static void main(String[] arguments) throws Exception {
        Path project = Path.of(arguments[0]);
        Conformance robinHood =
                new Conformance(new RobinHoodSystem(), NicProfiles.load(project.resolve("scenarios/nics"), "my-card"));
        List<String> problems = new ArrayList<>(robinHood.settings(List.of()));
        for (int readSlots : new int[] {1, 4, 16}) {
            problems.addAll(robinHood.lookups("robin-hood", Map.of("robin-hood.read-slots", readSlots), 1));
        }
        problems.addAll(robinHood.plans());
        problems.forEach(System.out::println);
        System.out.println(problems.isEmpty() ? "robin-hood conforms" : "robin-hood does not conform");
        System.exit(problems.isEmpty() ? 0 : 1);
    }
}
