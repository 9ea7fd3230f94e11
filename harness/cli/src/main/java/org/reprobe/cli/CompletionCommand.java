package org.reprobe.cli;

import java.util.concurrent.Callable;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.options.Choice;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = "Prints a script with which a shell completes commands, options, scenarios and NIC profiles.",
        footer = {
            "",
            "bash: source <(./run.sh completion bash)",
            "zsh: autoload -U bashcompinit; bashcompinit, then the same"
        })
final class CompletionCommand implements Callable<Integer> {
    private static final String NAME = "reprobe";

    /** Offers files where picocli's function finds nothing: it has switched off the shell's own completion of files. */
    private static final String FILES_TOO = """

        function _complete_reprobe_or_file() {
          _complete_reprobe "$@"
          if [ ${#COMPREPLY[@]} -eq 0 ]; then
            type compopt &>/dev/null && compopt -o default
          fi
          return 0
        }

        complete -F _complete_reprobe_or_file -o default run.sh reprobe\
        """;

    @Parameters(
            paramLabel = "SHELL",
            converter = Choice.OfShell.class,
            completionCandidates = Choice.OfShell.class,
            description = "${COMPLETION-CANDIDATES}; both take the same script.")
    @SuppressWarnings("UnusedVariable") // there is one script
    private String shell = "bash";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().println(AutoComplete.bash(NAME, spec.root().commandLine()) + FILES_TOO);
        return ExitCode.FINE;
    }
}
