/**
 * Runs in several processes. A {@code WorkerGroup} launches worker processes, which connect back, prove that they know a secret and
 * talk in typed messages ({@code Message}); {@code Worker} is their program. {@code Coordinator} runs cells of scenarios, {@code
 * CrashRun} long histories with killed processes; {@code MemoryServer} and {@code DistantFabric} are a server and its client with
 * nothing between them but the same messages.
 */
@NullMarked
package org.reprobe.run.process;

import org.jspecify.annotations.NullMarked;
