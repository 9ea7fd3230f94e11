/**
 * Runs in several processes. A {@code WorkerGroup} launches worker processes, which connect back, authenticate with a
 * secret and exchange typed messages ({@code Message}); {@code Worker} is their program. {@code Coordinator} runs cells
 * of scenarios, {@code CrashRun} long histories with killed processes; {@code MemoryServer} and {@code DistantFabric}
 * are a server and its client that share only the messages.
 */
@NullMarked
package org.reprobe.run.process;

import org.jspecify.annotations.NullMarked;
