package org.reprobe.run.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.FabricException;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Deployment;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import org.reprobe.trust.Printable;

/** Scenarios that a worker has received, with their NIC profiles. */
final class KnownScenarios {
    private static final Pattern FILE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private final Path folder;
    private final Map<String, Scenario> scenarios = new HashMap<>();

    KnownScenarios(Path folder) {
        this.folder = folder;
    }

    private Path nics() {
        return folder.resolve("nics");
    }

    /** Adds a scenario. Its files get generated or checked names, which can't lead outside of the folder. */
    void add(Message.KnowScenario message) throws FabricException, IOException, InvalidInputException {
        Path nics = Files.createDirectories(nics());
        for (Map.Entry<String, String> nic : message.nics().entrySet()) {
            if (!FILE_NAME.matcher(nic.getKey()).matches()) {
                throw new FabricException(
                        "received a NIC profile with an invalid name: " + Printable.line(nic.getKey()));
            }
            Files.writeString(nics.resolve(nic.getKey() + ".yaml"), nic.getValue());
        }
        Path file = folder.resolve("scenario-" + scenarios.size() + ".yaml");
        Files.writeString(file, message.yaml());
        scenarios.put(message.name(), new ScenarioReader(nics).readStored(file, Scale.QUICK));
    }

    Deployment deployment(Message.Cell cell) throws FabricException, InvalidInputException {
        Settings settings = settings(cell);
        NicProfile nic = NicProfiles.load(nics(), settings.nic());
        try {
            if (Systems.of(settings.scheme()).deployment(settings, nic, cell.repeat())
                    instanceof Deployment deployment) {
                return deployment;
            }
            throw new FabricException("scheme " + settings.scheme() + " has nothing to deploy");
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
    }

    Settings settings(Message.Cell cell) throws FabricException {
        Scenario scenario = scenarios.get(cell.scenario());
        if (scenario == null) {
            throw new FabricException("this process has not received the scenario");
        }
        return scenario.cells().get(cell.index()).settings();
    }
}
