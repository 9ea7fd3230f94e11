package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.run.RunPlan;
import org.reprobe.run.Shards;

/**
 * {@code run --dry-run}: prints the planned runs; without {@code preview} only the shards, of a resumed run on Slurm.
 */
record DryRun(
        RunPlan plan,
        @Nullable RunPreview preview,
        List<RunPlan.Unit> units,
        @Nullable Shards shards,
        @Nullable String sbatch,
        int exitCode)
        implements RunMode {
    @Override
    public int run(RunSession session) throws IOException {
        PrintWriter text = session.text();
        if (preview != null) {
            preview.print(text, units);
        }
        if (shards != null) {
            ShardPreview.print(text, plan, shards);
        }
        if (sbatch != null) {
            text.println("Command for Slurm:\n    " + sbatch);
        }
        if (preview != null) {
            session.json().write(preview.json(units, shards));
        }
        return exitCode;
    }
}
