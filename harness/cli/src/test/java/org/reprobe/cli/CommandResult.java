package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Result of a command. */
record CommandResult(int exitCode, String out, String err) {

    static CommandResult of(Object... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] arguments = List.of(words).stream().map(String::valueOf).toArray(String[]::new);
        int exit = Reprobe.execute(new PrintStream(out, true), new PrintStream(err, true), arguments);
        return new CommandResult(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    JsonNode json() {
        assertThat(out).as(err).startsWith("{");
        return JsonMapper.shared().readTree(out);
    }

    /** Standard error without progress, which appears on a slow machine. */
    String complaints() {
        return err.lines().filter(line -> !line.startsWith("# ")).collect(Collectors.joining("\n"));
    }
}
