package org.reprobe.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.scheme.LinearSettings;
import org.reprobe.system.Settings;
import org.reprobe.testing.Project;

class ScenarioReaderTest {
    private static final Path NICS = Project.path("scenarios/nics");

    @TempDir
    Path dir;

    /** A backslash-n stands for a line break; the title is line 1. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            load-facter: 0.5 | 2:1: unknown key "load-facter"; did you mean "load-factor"?
            table: {recrods: 5} | 2:9: unknown key "recrods"; did you mean "records"?
            records: 5 | 2:1: unknown key "records"; it belongs inside "table"
            table.records: 5 | 2:1: unknown key "table.records"; write "records" inside "table"
            table: {load-factor: 0.5} | 2:9: unknown key "load-factor"; it belongs at the top of the file
            table: {records: 99999999999999999999} | 2:18: records must be at most 9007199254740992, but is 99999999999999999999
            table: {records: many} | 2:18: records must be a whole number of at least 1, but is "many"
            table: 5 | 2:8: table must be a mapping, but is 5
            table: {associativity: 4} | 2:9: unknown key "associativity"; it belongs inside "cuckoo"
            table: {record-bytes: 4} | 2:23: record-bytes must be a whole number from 8 to 1048576, but is 4
            cuckoo: {associativity: 0} | 2:25: associativity must be a whole number from 1 to 64, but is 0
            table: {storage: inlin} | 2:18: storage must be one of inline, heap, but is "inlin"; did you mean "inline"?
            load-factor: 1.2 | 2:14: load-factor must be a number above 0 and below 1, but is 1.2
            load-factor: 0 | 2:14: load-factor must be a number above 0 and below 1, but is 0
            fabric: rdma | 2:9: fabric must be one of sim, shm, tcp, verbs, but is "rdma"
            scheme: cuckoo-paralel | 2:9: scheme must be one of linear-fixed, linear-variable, linear-variable-unconstrained, linear-two-sided, cuckoo-sequential, cuckoo-parallel, hopscotch, hopscotch-chained, nessie, pilaf, find-or-put, compare-and-swap, verb, farm-reads, farm-messages, farm-sends, farm, farm-two-sided, farm-transactions, farm-tao, command, memcached, but is "cuckoo-paralel"; did you mean "cuckoo-parallel"?
            hosts: {server: "-oProxyCommand=touch x"} | 2:17: server must be a host name, here, or slurm, but is "-oProxyCommand=touch x"
            hosts: {server: me@-oProxyCommand=x} | 2:17: server must be a host name, here, or slurm, but is "me@-oProxyCommand=x"
            hosts: {clients: [a, -F/tmp/x]} | 2:22: clients must be a host name, here, or slurm, but is "-F/tmp/x"
            name: report.html | 2:7: "report.html" is the name of a result file
            name: Scenario.YAML | 2:7: "Scenario.YAML" is the name of a result file
            name: latest | 2:7: "latest" is the name of a result file
            nic: connectx5-ebr | 2:6: there is no NIC profile "connectx5-ebr"; there are NICS; did you mean "connectx5-edr"?
            connection: {send-queue: slow} | 2:26: send-queue must be a whole number from 1 to 1048576 or "latency", but is "slow"
            connection: {send-queue: 9000} | 2:26: send-queue is 9000, but connectx5-edr allows at most 8192
            connection: {outstanding-reads: 17} | 2:33: outstanding-reads is 17, but connectx5-edr allows at most 16
            clients: {machines: 100, threads: 2000} | 2:35: 200000 clients need as many queue pairs, but connectx5-edr allows at most 131072
            measure: {repeats: 100000}\\nsweep: {seed: [1, 2, 3, 4, 5, 6]} | 2:20: 6 cells and their repeats make 600000 runs; at most 500000 are allowed
            scheme: find-or-put\\nload-factor: 1e-300 | 3:14: 1048576 records at load factor 1.0E-300 need 1.05e+306 slots, but find-or-put takes at most 1099511627776
            scheme: nessie\\nload-factor: 1e-5\\nnessie: {growth: 64}\\ntable: {records: 268435456, record-bytes: 16} | 3:14: 268435456 records at load factor 1.0E-5 need 1.72e+15 slots, but nessie takes at most 1099511627776
            scheme: pilaf\\ntable: {records: 3000000000, record-bytes: 16} | 3:18: 3000001024 items: pilaf takes at most 536870912, of records and of free-items
            measure: {repeats: 0} | 2:20: repeats must be a whole number from 1 to 100000, but is 0
            measure: {duration-ms: 0} | 2:24: duration-ms must be a number from 0.001 to 86400000, but is 0
            measure: {duration-ms: 4.9e-324} | 2:24: duration-ms must be a number from 0.001 to 86400000, but is 4.9E-324
            measure: {duration-ms: 1e13} | 2:24: duration-ms must be a number from 0.001 to 86400000, but is 1.0E13
            measure: {warm-up-ms: 1e308} | 2:23: warm-up-ms must be a number from 0 to 86400000, but is 1.0E308
            model: {tail-cutoff: 1.5} | 2:22: tail-cutoff must be a number from 0.5 to 1 or "exact", but is 1.5
            sweep: {load-facter: [0.5]} | 2:9: unknown key "load-facter"; did you mean "load-factor"?
            sweep: {load-factor: [0.5, 1.5]} | 2:28: load-factor must be a number above 0 and below 1, but is 1.5
            sweep: {load-factor: 0.5} | 2:22: load-factor must be a list, each a number above 0 and below 1, but is 0.5
            sweep: {load-factor: []} | 2:22: load-factor must not be an empty list
            sweep: {seed: [1, 2, 1]} | 2:15: seed has the same value more than once
            sweep: {records: [5]} | 2:9: unknown key "records"; did you mean "table.records"?
            sweep: {recrods: [5]} | 2:9: unknown key "recrods"; did you mean "table.records"?
            sweep: {new-keys: [true]} | 2:9: unknown key "new-keys"; did you mean "nessie.new-keys" or "pilaf.new-keys"?
            sweep: {table.associativity: [4]} | 2:9: unknown key "table.associativity"; did you mean "cuckoo.associativity"?
            skip: [{threads: 5}] | 2:9: unknown key "threads"; did you mean "clients.threads"?
            rules: [{writes: 0.5}] | 2:10: unknown key "writes"; did you mean "workload.writes"?
            rules: [{when: {writes: [0.5]}, seed: 3}] | 2:17: unknown key "writes"; did you mean "workload.writes"?
            rules: [{when: {seed: [-1]}, load-factor: 0.1}] | 2:24: seed must be a whole number of at least 0, but is -1
            sweep: {seed: [1, 2]}\\nfigures: [{name: f, x: seed, y: throughput, series: [scheme, threads]}] | 3:62: "threads" is not swept; swept keys: seed, scheme, load-factor
            sweep: {clients.threads: [1, 2]}\\nfigures: [{name: f, x: threads, y: throughput}] | 3:24: "threads" is not swept; did you mean "clients.threads"?
            sweep: {clients.threads: [1, 2]}\\nfigures: [{name: f, x: scheme, y: throughput, where: {threads: 1}}] | 3:55: unknown key "threads"; did you mean "clients.threads"?
            sweep: {scheme: [cuckoo-parallel], cuckoo.associativity: [4, 1], load-factor: [0.9, 0.95]} | 2:85: a cuckoo table with 3 hashes and 1 record a slot can't be filled to 0.95: its load threshold is 0.9179; lower load-factor, or raise associativity or hashes
            scheme: cuckoo-parallel\\nload-factor: 0.981\\ncuckoo: {hashes: 2} | 3:14: a cuckoo table with 2 hashes and 4 records a slot can't be filled to 0.981: its load threshold is 0.9803; lower load-factor, or raise associativity or hashes
            scheme: cuckoo-parallel\\nworkload: {keys: zipf} | 3:18: zipf keys of theta 0.99: the most frequent would occur about 42717 times, some more than 12 times, but a cuckoo table has no room for more records of a key; use a linear scheme
            scheme: cuckoo-parallel\\ntable: {keys-per-record: 34.14}\\ncuckoo: {associativity: 1} | 3:26: about 1.1 of 35798385 keys would occur more than 3 times, but a cuckoo table has no room for more records of a key; use keys: distinct, or more keys-per-record
            scheme: cuckoo-parallel\\nconnection: {send-queue: 2} | 3:26: send-queue is 2, but a lookup of cuckoo-parallel posts 3 READs at once
            workload: {keys: distinct}\\ntable: {keys-per-record: 0.5} | 3:26: 1048576 records with distinct keys need a key space of at least as many keys, but it has 524288; use fewer records or more keys-per-record
            table: {records: 4000000000} | 2:18: 4000000000 records at load factor 0.5 need 8000000000 slots, but a 32-bit hash distinguishes at most 4294967296; use fewer records or a higher load-factor
            workload: {operation: predict}\\nscheme: hopscotch | 2:23: operation has no effect on scheme hopscotch; schemes that read it: linear-fixed, linear-variable, linear-variable-unconstrained, command
            model: {hint-distance: 5} | 2:24: hint-distance has no effect: it requires operation predict; lookups take their hints from clusters.track
            clusters: {track: true}\\nscheme: linear-fixed | 2:19: track has no effect on scheme linear-fixed; schemes that read it: linear-variable, linear-variable-unconstrained
            scheme: linear-fixed\\ntable: {record-bytes: 512} | 3:23: read-bytes is 256, less than one slot of 512 bytes
            scheme: nessie\\ntable: {record-bytes: 12} | 3:23: record-bytes is 12, but a record of nessie has a key of 8 bytes and a value of 8 at least
            scheme: farm\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {ring-bytes: 64} | 7:20: a ring of 64 bytes is too small for messages of 56, which take 72 in it: it must have at least twice as many, 144
            scheme: farm-two-sided\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {keys-per-get: 3} | 7:22: multi-gets of 3 keys and updates (writes is 0.5) are not supported together: with updates an operation has one key
            scheme: farm\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {max-read-us: 9000, update-us: 0.5} | 7:21: a READ of 9000.0 us (max-read-us) may last until versions wrap around: 16384 updates of 0.5 us take 8192.0 us
            scheme: farm\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 48}\\nfarm: {back-off-us: 3} | 6:21: back-off-us has no effect: no operation updates a value; it requires workload.writes above 0
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 48}\\ntransactions: {part-bytes: 20} | 6:28: parts of 20 bytes: the size must be a multiple of 8 from 16 to 1015792 bytes, or 0 for no parts
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 48}\\ntransactions: {part-bytes: 8} | 6:28: parts of 8 bytes: the size must be a multiple of 8 from 16 to 1015792 bytes, or 0 for no parts
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {record-bytes: 24}\\ntransactions: {part-bytes: 16} | 5:23: objects of 24 bytes, of which the last 16 point to a part: they must have at least 32 bytes
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 2}\\ntable: {records: 1000, record-bytes: 48}\\nworkload: {writes: 1}\\ntransactions: {part-bytes: 4000} | 7:28: a ring of 4096 bytes is too small for messages of 8240, which take 8256 in it: it must have at least twice as many, 16512
            scheme: pilaf\\ntable: {record-bytes: 12} | 3:23: record-bytes is 12, but a record of pilaf has a key of 8 bytes and a value of 8 at least
            linear-probing: {read-slots: 20000000}\\ntable: {record-bytes: 1000} | 2:30: a READ of 20000000 slots has 20000000000 bytes, but connectx5-edr allows at most 1073741824
            sweep: {seed: [1, 2]}\\nrules: [{seed: 3}] | 3:10: "seed" is swept, so a rule can't set it
            sweep: {seed: [1, 2]}\\nscales: {full: [{seed: 3}]} | 3:18: "seed" is swept, so a rule can't set it
            scales: {medium: []} | 2:10: unknown key "medium"; allowed here: quick, full
            scales: {quick: [{when: {laod-factor: 0.5}}]} | 2:26: unknown key "laod-factor"; did you mean "load-factor"?
            skip: [{load-factor: 0.5}] | 2:1: skip excludes every cell
            reproduces: [figure 7] | 2:14: reproduces must be text like linear-probing/figure-7, but is "figure 7"
            name: a/b | 2:7: name must be up to 100 letters, digits, hyphens and dots, but is "a/b"
            figures: [{name: f, x: records, y: throughput}] | 2:24: "records" is not swept; swept keys: scheme, load-factor, percentile, phase, kind, time-ms
            figures: [{name: f, x: load-facter, y: throughput}] | 2:24: "load-facter" is not swept; did you mean "load-factor"?
            figures: [{name: f, x: load-factor, y: thruput}] | 2:40: y must be one of throughput, bandwidth, matches, requests, read-size, model-cost, latency-p50, latency-p99, operations, round-trips-read, round-trips-write, chunks, retries, migrations, splits, latency-split, server-calls, refusals, polling, placed, resize, space, latency-read, latency-write, latency-read-modify-write, latency-remote, latency-mean, latency-max, failures, detect, worst-window, latency-worst-window, aborts, phase-latency, kind-latency, latency, but is "thruput"
            figures: [{name: f, x: percentile, y: throughput}] | 2:39: x: percentile and y: latency need each other
            figures: [{name: f, x: time-ms, y: operations}] | 2:24: these runs have no time series: set series.slice-ms, or faults
            workload: {operation: predict}\\nseries: {slice-ms: 1} | 3:20: slice-ms has no effect: operation predict runs nothing; use operation lookup
            workload: {operation: predict}\\nconnection: {timeout: 2} | 3:23: timeout has no effect: operation predict runs nothing; use operation lookup
            connection: {timeout: 2} | 2:23: timeout has no effect: these runs have no faults; add some under faults
            scheme: verb\\nconnection: {timeout: 2} | 3:23: timeout has no effect: these runs have no faults; add some under faults
            scheme: find-or-put\\nnic: das5-fdr\\nconnection: {timeout: 2} | 4:23: timeout has no effect: these runs have no faults; add some under faults
            NESSIEseries: {slice-ms: 0.001}\\nmeasure: {duration-ms: 20} | 5:20: slices of 0.001 ms of 20.0 ms are 20000; at most 10000 are kept
            fabric: shm\\nhosts: {server-cores: 1} | 3:23: server-cores must be all, cores such as 0-13, "3" or "0,2-4", or a NUMA node such as node-1, but is 1
            fabric: shm\\nhosts: {client-cores: [0-1, numa-1]} | 3:29: client-cores must be all, cores such as 0-13, "3" or "0,2-4", or a NUMA node such as node-1, but is "numa-1"
            hosts: {server-cores: 0-1} | 2:23: server-cores has no effect on fabric sim; only for shm, tcp, verbs
            load: {rate-per-s: 1e6, phases: [{for-ms: 1, rate-per-s: 1e6}]} | 2:20: phases have rates of their own: use either load.rate-per-s or load.phases
            load: {phases: [{for-ms: 0, rate-per-s: 1}]} | 2:26: for-ms must be a number above 0 and of at most 86400000, but is 0
            load: {phases: [{for-ms: 1, rate-per-s: 1, until-per-s: 1e6}]} | 2:44: unknown key "until-per-s"; allowed here: for-ms, rate-per-s, to-per-s
            load: {phases: [{for-ms: 20, rate-per-s: 0}, {for-ms: 1, rate-per-s: 5}]} | 2:16: no phase within the measured interval has a rate above 0
            load: {scale: 2} | 2:15: scale has no effect: it requires load.phases or load.trace
            load: {trace: no.csv, phases: [{for-ms: 1, rate-per-s: 5}]} | 2:8: phases and trace exclude each other
            sweep: {load.trace: [a.csv]} | 2:22: a trace is allowed in section load only, not in sweep, cells or rules
            NESSIEload: {phases: [{for-ms: 1, rate-per-s: 1e6}]} | 5:16: phases has no effect on scheme nessie; schemes that read it: linear-fixed, linear-variable, linear-variable-unconstrained, cuckoo-sequential, cuckoo-parallel, hopscotch, hopscotch-chained, command
            series: {worst-window-ms: 0} | 2:27: worst-window-ms must be a number from 0.001 to 86400000 or "none", but is 0
            series: {worst-window-ms: 10.5} | 2:27: windows of 10.5 ms are longer than the measured interval of 10.0 ms
            series: {worst-window-ms: 1, slice-ms: 0.3} | 2:27: windows of 1.0 ms do not consist of whole slices of 0.3 ms; use a multiple, or slice-ms: automatic
            series: {worst-window-ms: 0.001}\\nmeasure: {duration-ms: 20} | 2:27: slices of 1.0E-4 ms of 20.0 ms are 200000; at most 10000 are kept
            workload: {operation: predict}\\nseries: {worst-window-ms: 1} | 3:27: worst-window-ms has no effect: operation predict runs nothing; use operation lookup
            series: {slice-ms: 1}\\nfigures: [{name: f, x: time-ms, y: latency-p99}] | 3:36: only runs with series.worst-window-ms keep percentiles of slices
            faults: [{kind: crush}] | 2:17: kind must be one of crash, kill, slow-cpu, slow-card, cut, delay, but is "crush"; did you mean "crash"?
            faults: [{kind: crash, machine: serve}] | 2:33: machine must be server, server-N or server-any, client-N or client-any, but is "serve"
            faults: [{kind: crash, at-ms: 0}] | 2:31: at-ms must be a number above 0 and of at most 86400000 or "drawn", but is 0
            workload: {operation: predict}\\nfaults: [{kind: crash}] | 3:10: operation predict runs nothing; use operation lookup
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfaults: [{kind: crash}] | 2:9: machines fail (faults), but no machine takes over their regions without leases: set farm.lease-ms
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1} | 7:18: leases require replicas, which take over from a failed machine
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1, replicas: 1} | 7:18: with leases each replica must log a transaction's writes before it commits: set farm.replication: prepare-commit
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1, replicas: 1, replication: prepare-commit}\\nfaults: [{kind: kill, machine: client-0}] | 7:18: recovery supports only crashes of machines: use faults of kind crash
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1, replicas: 1, replication: prepare-commit}\\nfaults: [{kind: crash, for-ms: 1}] | 7:18: a crashed machine does not rejoin the others: omit for-ms of its fault
            scheme: farm-transactions\\nnic: connectx3-farm\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nfarm: {lease-ms: 1} | 6:18: lease-ms has no effect: no transaction writes; it requires workload.writes above 0
            NESSIEfaults: [{kind: crash, machine: server-1}] | 5:33: there is no server-1: the cell has 1 server, the last is server-0
            NESSIEfaults: [{kind: crash, machine: client-1}] | 5:33: there is no client-1: the cell has 1 client machine, the last is client-0
            NESSIEfaults: [{kind: kill, machine: client-28}] | 5:32: there is no client-28: the cell has 28 clients, the last is client-27
            NESSIEfaults: [{kind: kill}] | 5:10: only client processes can be killed: client-N, or client-any
            NESSIEfaults: [{kind: crash, at-ms: 10}] | 5:31: at-ms is 10, but the measured interval ends after 10 ms (measure.duration-ms)
            NESSIEfaults: [{kind: crash, way: there}] | 5:29: a fault of kind crash does not read way
            NESSIEfaults: [{kind: cut, machine: client-0, to: client-0}] | 5:45: a machine has no link to itself
            NESSIEfaults: [{kind: crash, where: {scheme: pilaf}}] | 5:31: no cell has these values
            fabric: shm\\nscheme: nessie\\ntable: {record-bytes: 16}\\nfaults: [{kind: crash}] | 5:10: faults need fabric sim, not shm, unless machines may fail (farm.lease-ms of farm-transactions)
            fabric: tcp\\nscheme: farm-transactions\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1, replicas: 1, replication: prepare-commit} | 7:18: a lease of 1.0 ms is too short in real time: a machine whose threads wait that long for a CPU is evicted; use at least 100 ms
            fabric: verbs\\nscheme: farm-transactions\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1000, replicas: 1, replication: prepare-commit}\\nfaults: [{kind: crash}] | 8:10: faults can't be injected over verbs: use sim, shm or tcp
            fabric: tcp\\nscheme: farm-transactions\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1000, replicas: 1, replication: prepare-commit}\\nfaults: [{kind: crash, memory: lost}] | 8:32: no effect over tcp: the fabric determines what happens to a killed process's memory
            fabric: tcp\\nscheme: farm-transactions\\nclients: {machines: 3, threads: 1}\\ntable: {record-bytes: 48}\\nworkload: {writes: 0.5}\\nfarm: {lease-ms: 1000, replicas: 1, replication: prepare-commit}\\nhosts: {clients: [a, b, c]}\\nfaults: [{kind: crash}] | 9:10: faults can't be injected on other hosts: run all processes on this host, or use fabric sim
            NESSIEfaults: [{kind: crash}]\\nfigures: [{name: f, x: time-ms, y: requests}] | 6:36: time series have operations, failures, latency-mean, latency-p99 and latency-max
            figures: [{name: f, x: load-factor}] | 2:11: key "y" is missing in figures
            figures: [{name: f, x: load-factor, y: requests, where: {scheme: hopscotch}}] | 2:57: no cell has these values
            figures: [{name: f, x: load-factor, y: requests}, {name: f, x: scheme, y: requests}] | 2:58: two figures are named "f"
            """)
    void badInputIsRefusedAtItsPlace(String text, String expected) throws IOException {
        String nessie = "scheme: nessie\nnic: connectx3-40g\ntable: {record-bytes: 16}\n";
        Problem problem =
                onlyProblem("title: x\n" + text.replace("NESSIE", nessie).replace("\\n", "\n") + "\n");

        assertThat(problem.line() + ":" + problem.column() + ": " + problem.message())
                .isEqualTo(expected.replace("NICS", nics()));
        assertThat(problem.file()).endsWith("a.yaml");
        assertThat(problem.excerpt()).isNotNull();
    }

    @Test
    void namesTooLongForFilesAreRefused() throws IOException {
        Problem problem = onlyProblem("title: t\nname: " + "n".repeat(101));
        assertThat(problem.line()).isEqualTo(2);
        assertThat(problem.message()).startsWith("name must be up to 100 letters, digits, hyphens and dots");
    }

    @Test
    void aScenarioNeedsATitle() throws IOException {
        assertThat(onlyProblem("seed: 1\n").message()).isEqualTo("key \"title\" is missing");
    }

    @Test
    void wrongKeysAndCombinationsAreReportedAtOnce() throws IOException {
        List<Problem> problems = problems("""
                title: x
                fabrik: sim
                scheme: cuckoo-parallel
                table: {records: many}
                cuckoo: {associativity: 1}
                load-factor: 0.95
                connection: {send-queue: 10000}
                """);

        assertThat(problems).extracting(Problem::line).containsExactly(2, 4, 6, 7);
    }

    @Test
    void anInvalidKeyIsReportedOnce() throws IOException {
        assertThat(
                        problems(
                                "title: x\nscheme: cuckoo-parallel\nload-factor: 0.95\ncuckoo: {associativity: one, hashes: 2}\n"))
                .extracting(Problem::message)
                .containsExactly("associativity must be a whole number from 1 to 64, but is \"one\"");
    }

    @Test
    void aSweepOfTooManyCellsIsRefusedBeforeItIsUnfolded() throws IOException {
        String seeds = "[" + numbers(1000) + "]";
        Problem problem = onlyProblem("title: x\nsweep: {seed: " + seeds + ", table.records: " + seeds + "}\n");

        assertThat(problem.message()).isEqualTo("the sweep has 1000000 cells; at most 100000 are allowed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            table.recrods=5 | unknown key "table.recrods"; did you mean "table.records"?
            recrods=5 | unknown key "recrods"; did you mean "records"?
            sweep.laod-factor=[0.5] | unknown key "laod-factor"; did you mean "load-factor"?
            records=many | records must be a whole number of at least 1, but is "many"
            records | must be key=value, like --set table.records=1048576
            =5 | must be key=value, like --set table.records=1048576
            load-factor=[0.5 | damaged YAML: while parsing a flow sequence, expected ',' or ']', but got <stream end>
            load-factor=[0.5, 2] | load-factor must be a number above 0 and below 1, but is 2
            send-queue=9000 | send-queue is 9000, but connectx5-edr allows at most 8192
            figures=5 | figures must be a list, each a mapping, but is 5
            """)
    void aBadOverrideIsRefusedByItsOwnName(String set, String expected) throws IOException {
        InvalidInputException refused = refused("title: x\n", List.of(set));

        assertThat(refused.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.message()).isEqualTo(expected);
            assertThat(problem.file()).isEqualTo("--set " + set);
        });
    }

    /** Names of profiles; calibrations add their own. */
    private static String nics() {
        try {
            return String.join(", ", NicProfiles.names(NICS));
        } catch (InvalidInputException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void optionsForFabricAndCardAreBlamedByTheirNames() throws IOException {
        Path file = file("title: x\n");
        InvalidInputException refused = catchThrowableOfType(
                InvalidInputException.class,
                () -> new ScenarioReader(NICS)
                        .read(file, new ScenarioReader.Options(List.of(), "simm", "x", Scale.QUICK)));

        assertThat(refused.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "--fabric simm: fabric must be one of sim, shm, tcp, verbs, but is \"simm\"; did you mean \"sim\"?",
                        "--nic x: there is no NIC profile \"x\"; there are " + nics());
    }

    @Test
    void aScenarioMayBeJson() throws Exception {
        Path file = Files.writeString(
                dir.resolve("b.json"), "{\"title\": \"x\",\n\t\"sweep\": {\"load-factor\": [0.5, 0.8]}}");

        Scenario scenario = new ScenarioReader(NICS).read(file, ScenarioReader.Options.of(Scale.FULL));

        assertThat(scenario.name()).isEqualTo("b");
        assertThat(scenario.cells()).hasSize(2);
    }

    @Test
    void aMissingFileIsReported() {
        InvalidInputException refused = catchThrowableOfType(
                InvalidInputException.class,
                () -> new ScenarioReader(NICS).read(dir.resolve("no.yaml"), ScenarioReader.Options.of(Scale.FULL)));

        assertThat(refused.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.message()).isEqualTo("there is no such file"));
    }

    @Test
    void cellsAreTheProductInTheOrderOfTheFileUnderFullNames() throws Exception {
        Scenario scenario = read("""
                title: x
                sweep:
                  table.record-bytes: [8, 32]
                  scheme: [linear-fixed, linear-variable]
                """);

        assertThat(scenario.cells())
                .extracting(cell -> cell.cell().label())
                .containsExactly(
                        "linear-fixed,record-bytes=8,load-factor=0.5",
                        "linear-variable,record-bytes=8,load-factor=0.5",
                        "linear-fixed,record-bytes=32,load-factor=0.5",
                        "linear-variable,record-bytes=32,load-factor=0.5");
        assertThat(scenario.cells().get(2).settings().table().recordBytes()).isEqualTo(32);
        assertThat(scenario.cells().get(2).cell().values())
                .isEqualTo(Map.of("table.record-bytes", 32L, "scheme", "linear-fixed", "load-factor", 0.5));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            linear-fixed                     | linear-fixed,load-factor=0.5,record-bytes=8 linear-fixed,load-factor=0.5,record-bytes=32
            record-bytes=32,linear-variable  | linear-variable,load-factor=0.5,record-bytes=32
            table.record-bytes=8.0,scheme=linear-fixed | linear-fixed,load-factor=0.5,record-bytes=8
            load-factor=0.50,record-bytes=32,linear-fixed | linear-fixed,load-factor=0.5,record-bytes=32
            """)
    void cellsAreFilteredByPartsOfTheirLabels(String filter, String labels) throws Exception {
        Scenario scenario = filtered("", filter);
        Path resolved = Files.writeString(dir.resolve("resolved.yaml"), scenario.resolvedYaml());

        assertThat(scenario.cells())
                .extracting(cell -> String.join(
                        ",", new TreeSet<>(List.of(cell.cell().label().split(",")))))
                .containsExactlyInAnyOrder(labels.split(" "));
        assertThat(new ScenarioReader(NICS).readStored(resolved, Scale.FULL).cells())
                .isEqualTo(scenario.cells());
    }

    @Test
    void filtersAddUpAndKeepToTheFilesOwn() throws Exception {
        assertThat(filtered("", "linear-fixed,record-bytes=8", "record-bytes=32")
                        .cells())
                .hasSize(3);
        assertThat(filtered("only: [{scheme: linear-fixed}]\n").cells()).hasSize(2);
        assertThat(filtered("only: [{scheme: linear-fixed}]\n", "record-bytes=32")
                        .cells())
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            linear-fixd       | no cell of a has linear-fixd; did you mean "linear-fixed"?
            record-byte=8     | cells of a have no "record-byte"; did you mean "table.record-bytes"?
            record-bytes=9    | no cell of a has record-bytes=9; values: 8, 32
            linear-fixed,linear-variable | no cell of a matches all filters together
            """)
    void aFilterThatNoCellPassesIsRefused(String filter, String complaint) throws Exception {
        InvalidInputException refused = catchThrowableOfType(InvalidInputException.class, () -> filtered("", filter));

        assertThat(refused.problems())
                .extracting(Problem::toString)
                .containsExactly("--filter " + filter + ": " + complaint);
    }

    private Scenario filtered(String more, String... filters) throws Exception {
        Path file = Files.writeString(dir.resolve("a.yaml"), """
                title: x
                sweep: {table.record-bytes: [8, 32], scheme: [linear-fixed, linear-variable]}
                figures:
                  - {name: f, x: table.record-bytes, y: throughput, where: {scheme: linear-variable}}
                """ + more);
        return new ScenarioReader(NICS)
                .read(file, new ScenarioReader.Options(List.of(), null, null, Scale.QUICK, List.of(filters)));
    }

    @Test
    void skippedCellsAreOmittedAndReported() throws Exception {
        Scenario scenario = read("""
                title: x
                scheme: cuckoo-parallel
                workload: {keys: distinct}
                sweep: {cuckoo.associativity: [4, 1], load-factor: [0.8, 0.9, 0.95]}
                skip: [{cuckoo.associativity: 1, load-factor: [0.95, 0.99]}]
                """);

        assertThat(scenario.cells()).hasSize(5);
        assertThat(scenario.skipped())
                .singleElement()
                .satisfies(cell -> assertThat(cell.values())
                        .isEqualTo(
                                Map.of("cuckoo.associativity", 1L, "load-factor", 0.95, "scheme", "cuckoo-parallel")));
    }

    @Test
    void rulesApplyInOrderToTheCellsThatAgreeAndTheScalesComeLast() throws Exception {
        String text = """
                title: x
                sweep: {load-factor: [0.5, 0.9]}
                rules:
                  - {table.records: 100}
                  - {when: {load-factor: [0.90, 0.95]}, table.records: 200}
                  - {when: {table.records: 200}, measure.repeats: 7}
                scales:
                  full:
                    - {when: {load-factor: 0.9, scheme: linear-variable}, table.records: 300}
                """;

        assertThat(read(text).cells())
                .extracting(cell -> cell.settings().table().records())
                .containsExactly(100L, 200L);
        assertThat(read(text).cells())
                .extracting(cell -> cell.settings().measure().repeats())
                .containsExactly(5, 7);
        assertThat(read(text, Scale.FULL).cells())
                .extracting(cell -> cell.settings().table().records())
                .containsExactly(100L, 300L);
    }

    @Test
    void theCommandLineHasTheLastWord() throws Exception {
        String text = """
                title: x
                sweep: {load-factor: [0.5, 0.9]}
                scales:
                  quick:
                    - {table.records: 100}
                figures:
                  - {name: f, x: load-factor, y: throughput, where: {load-factor: 0.9}}
                """;

        Scenario scenario = read(text, Scale.QUICK, "table.records=77", "load-factor=0.7", "threads=[1, 2]");

        assertThat(scenario.cells())
                .extracting(cell -> cell.cell().label())
                .containsExactly(
                        "linear-variable,load-factor=0.7,threads=1", "linear-variable,load-factor=0.7,threads=2");
        assertThat(scenario.cells())
                .extracting(cell -> cell.settings().table().records())
                .containsOnly(77L);
        // The figure's cells are excluded, and so is the figure: the resolved scenario can be read again.
        assertThat(scenario.figures()).isEmpty();
        assertThat(read(scenario.resolvedYaml()).cells()).isEqualTo(scenario.cells());
    }

    @Test
    void wordsInPlaceOfNumbersBecomeWhatTheyStandFor() throws Exception {
        Settings settings = settings("""
                title: x
                connection: {send-queue: latency}
                model: {tail-cutoff: exact, homes: existing-keys}
                """);

        assertThat(settings.connection().sendQueue()).isZero();
        assertThat(settings.section(LinearSettings.Model.class).tailCutoff()).isEmpty();
        assertThat(settings.section(LinearSettings.Model.class).homes()).isEqualTo(Homes.EXISTING_KEYS);
        assertThat(settings.section(LinearSettings.class).readSlots()).isEmpty();
        assertThat(settings.section(LinearSettings.class).assumedLoadFactor()).isEmpty();
        assertThat(settings.keySpace()).isEqualTo((1L << 32) - 1);
    }

    @Test
    void aWholeNumberMayHaveAnExponent() throws Exception {
        Scenario scenario = read("title: x\nsweep: {table.records: [1e3, 2e6]}\n");

        assertThat(scenario.cells())
                .extracting(cell -> cell.settings().table().records())
                .containsExactly(1000L, 2_000_000L);
        assertThat(scenario.cells().getFirst().cell().label())
                .isEqualTo("linear-variable,records=1000,load-factor=0.5");
    }

    @Test
    void theKeySpaceFollowsTheRecordsUpToAllKeys() throws Exception {
        assertThat(settings("title: x\ntable: {records: 1000, keys-per-record: 34.14}\n")
                        .keySpace())
                .isEqualTo(34140);
        assertThat(settings("title: x\ntable: {records: 125829120, keys-per-record: 34.14}\n")
                        .keySpace())
                .isEqualTo((1L << 32) - 1);
    }

    /** Regression: it was measured at full load, and labelled 1000. */
    @Test
    void aKeyThatTheSchemeDoesNotReadIsRefusedWithWhatToUseInstead() throws Exception {
        List<Problem> problems = problems("""
                title: x
                scheme: nessie
                table: {record-bytes: 16, storage: heap}
                sweep: {load.rate-per-s: [1000, full]}
                connection: {outstanding-reads: 999}
                clusters: {track: true}
                nessie: {growth: 1}
                """);
        assertThat(problems).extracting(Problem::line).containsExactlyInAnyOrder(3, 4, 5, 6);
        assertThat(problems)
                .extracting(Problem::message)
                .contains(
                        "rate-per-s has no effect on scheme nessie: its clients perform one operation at a time; use another"
                                + " number of clients; schemes that read it: linear-fixed, linear-variable,"
                                + " linear-variable-unconstrained, cuckoo-sequential, cuckoo-parallel, hopscotch, hopscotch-chained, command");
    }

    @Test
    void aKeyThatOneOfTheSchemesReadsIsTaken() throws Exception {
        assertThat(read("""
                title: x
                sweep: {scheme: [linear-fixed, cuckoo-parallel]}
                cuckoo: {associativity: 2}
                linear-probing: {read-bytes: 512}
                """).cells()).hasSize(2);
    }

    /** After a user's choice of cells, the file's other values are not errors; the user's own still are. */
    @Test
    void aKeyOfCellsThatTheCommandLineLeavesOutIsTaken() throws Exception {
        String text = """
                title: x
                sweep: {scheme: [linear-fixed, cuckoo-parallel]}
                cuckoo: {associativity: 2}
                linear-probing: {read-bytes: 512}
                """;
        assertThat(read(text, Scale.QUICK, "scheme=linear-fixed").cells()).hasSize(1);
        Path file = Files.writeString(dir.resolve("b.yaml"), text);
        assertThat(new ScenarioReader(NICS)
                        .read(
                                file,
                                new ScenarioReader.Options(
                                        List.of(), null, null, Scale.QUICK, List.of("cuckoo-parallel")))
                        .cells())
                .hasSize(1);
        assertThatThrownBy(() -> read(text, Scale.QUICK, "scheme=linear-fixed", "cuckoo.associativity=8"))
                .hasMessageContaining("associativity has no effect on scheme linear-fixed");
    }

    @Test
    void everyCellMustReadWhatIsSwept() throws Exception {
        Problem problem = onlyProblem("""
                title: x
                sweep: {scheme: [linear-fixed, cuckoo-parallel], cuckoo.associativity: [2, 4]}
                """);
        assertThat(problem.message()).startsWith("associativity has no effect on scheme linear-fixed");
    }

    @Test
    void aValueWithoutEffectOnTheFabricIsRefusedUnlessTheCommandLineChoseTheFabric() throws Exception {
        String text = "title: x\nfabric: shm\nscheme: nessie\ntable: {record-bytes: 16}\nnic: connectx6-200g\n";
        assertThat(onlyProblem(text).message())
                .isEqualTo("nic has no effect on scheme nessie on fabric shm, which has no simulated card");
        assertThat(read(text, Scale.QUICK, "fabric=tcp").cells()).hasSize(1);
        assertThatThrownBy(() -> read(text, Scale.QUICK, "fabric=tcp", "nic=connectx3-40g"))
                .hasMessageContaining("nic has no effect on scheme nessie on fabric tcp");
        assertThat(onlyProblem("title: x\nhosts: {server: there}\n").message())
                .isEqualTo("server has no effect on fabric sim; only for shm, tcp, verbs");
        String cards =
                "title: x\nscheme: nessie\ntable: {record-bytes: 16}\nsweep: {nic: [connectx3-40g, connectx6-200g]}\n";
        assertThatThrownBy(() -> read(cards, Scale.QUICK, "fabric=tcp"))
                .as("cells that were named after cards which nothing reads")
                .hasMessageContaining("nic has no effect on scheme nessie on fabric tcp")
                .hasMessageContaining("; --filter nic=... leaves cells of one");
        String threads = """
                title: x
                sweep: {scheme: [linear-two-sided], linear-probing.server-threads: [2, 4]}
                """;
        assertThatThrownBy(() -> read(threads, Scale.QUICK, "fabric=tcp"))
                .hasMessageContaining("server-threads has no effect on fabric tcp; only for sim")
                .hasMessageContaining("; --filter server-threads=... leaves cells of one");
        String simulated = "title: x\ntable: {represents-records: 100000000}\n";
        assertThat(read(simulated, Scale.QUICK, "fabric=tcp").cells()).hasSize(1);
    }

    @Test
    void aTableStandsForNoSmallerOne() throws Exception {
        assertThat(onlyProblem("title: x\ntable: {records: 4096, represents-records: 1}\n")
                        .message())
                .contains("a table of 4096 records cannot represent a smaller one of 1");
    }

    @Test
    void defaultsThatNothingReadsAreNoMistake() throws Exception {
        assertThat(read("title: x\nscheme: verb\ntable: {storage: inline}\ncuckoo: {hashes: 3}\n")
                        .cells())
                .hasSize(1);
    }

    @Test
    void aRenamedKeyIsRefusedWithItsNewName() throws Exception {
        assertThatThrownBy(() -> read("title: x\n", Scale.QUICK, "table.associativity=2"))
                .hasMessageContaining("renamed to cuckoo.associativity");
        for (String text : List.of("connection: {retry-ms: 2}", "sweep: {connection.retry-ms: [1, 2]}")) {
            assertThat(onlyProblem("title: x\n" + text + "\n").message())
                    .startsWith("unknown key \"connection.retry-ms\"; replaced by connection.timeout and"
                            + " connection.retry-count");
        }
        assertThatThrownBy(() -> read("title: x\n", Scale.QUICK, "connection.retry-ms=2"))
                .hasMessageContaining("replaced by connection.timeout and connection.retry-count");
        assertThatThrownBy(() -> read("title: x\nscheme: pilaf\n", Scale.QUICK, "new-keys=true"))
                .hasMessageContaining("ambiguous: nessie.new-keys, pilaf.new-keys");
    }

    private Settings settings(String text) throws Exception {
        return read(text).cells().getFirst().settings();
    }

    private Scenario read(String text) throws Exception {
        return read(text, Scale.QUICK);
    }

    private Scenario read(String text, Scale scale, String... sets) throws Exception {
        return new ScenarioReader(NICS).read(file(text), new ScenarioReader.Options(List.of(sets), null, null, scale));
    }

    private Problem onlyProblem(String text) throws IOException {
        List<Problem> problems = problems(text);
        assertThat(problems).hasSize(1);
        return problems.getFirst();
    }

    private List<Problem> problems(String text) throws IOException {
        return refused(text, List.of()).problems();
    }

    private InvalidInputException refused(String text, List<String> sets) throws IOException {
        Path file = file(text);
        InvalidInputException refused = catchThrowableOfType(
                InvalidInputException.class,
                () -> new ScenarioReader(NICS).read(file, new ScenarioReader.Options(sets, null, null, Scale.QUICK)));
        assertThat(refused).as("it was accepted").isNotNull();
        return refused;
    }

    private Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("a.yaml"), text);
    }

    private static String numbers(int count) {
        StringBuilder numbers = new StringBuilder("1");
        for (int i = 2; i <= count; i++) {
            numbers.append(", ").append(i);
        }
        return numbers.toString();
    }

    @Test
    void aListOfHostsOnTheCommandLineIsOneValueAndNoSweep() throws Exception {
        Scenario scenario = read("title: t\nfabric: tcp\n", Scale.QUICK, "hosts.clients=[node2, node3]");
        assertThat(scenario.cells()).hasSize(1);
        assertThat(scenario.cells().getFirst().settings().hosts().clients()).containsExactly("node2", "node3");
        assertThat(read("title: t\nfabric: tcp\n", Scale.QUICK, "hosts.server=[node2, node3]")
                        .cells())
                .hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"here", "node-7", "me@node7.example.org", "10.0.0.7", "fe80::1%eth0", "[::1]"})
    void hostsOfEveryKindAreTaken(String host) throws Exception {
        assertThat(settings("title: t\nfabric: tcp\nhosts: {server: \"" + host + "\"}")
                        .hosts()
                        .server())
                .isEqualTo(host);
    }

    private static List<String> labels(Scenario scenario) {
        return scenario.cells().stream().map(cell -> cell.cell().label()).toList();
    }

    @Test
    void listedCellsAreRunOnceEachForEveryCombinationOfTheSweep() throws Exception {
        String text = """
                title: x
                scheme: linear-fixed
                sweep: {load-factor: [0.5, 0.9]}
                cells:
                  - {table.record-bytes: 16}
                  - {table.record-bytes: 32, clients.threads: 5}
                  - {table.record-bytes: 1.6e+1}
                """;
        Scenario scenario = read(text);

        assertThat(labels(scenario))
                .containsExactly(
                        "linear-fixed,load-factor=0.5,record-bytes=16,threads=28",
                        "linear-fixed,load-factor=0.5,record-bytes=32,threads=5",
                        "linear-fixed,load-factor=0.9,record-bytes=16,threads=28",
                        "linear-fixed,load-factor=0.9,record-bytes=32,threads=5");
        assertThat(scenario.cells().getLast().settings().clients().threads()).isEqualTo(5);
        assertThat(read(scenario.resolvedYaml())).isEqualTo(scenario);
        assertThat(labels(read(text, Scale.QUICK, "clients.threads=6")))
                .containsExactly(
                        "linear-fixed,load-factor=0.5,record-bytes=16,threads=6",
                        "linear-fixed,load-factor=0.5,record-bytes=32,threads=6",
                        "linear-fixed,load-factor=0.9,record-bytes=16,threads=6",
                        "linear-fixed,load-factor=0.9,record-bytes=32,threads=6");
        Scenario filtered = new ScenarioReader(NICS)
                .read(
                        file(text),
                        new ScenarioReader.Options(
                                List.of(), null, null, Scale.QUICK, List.of("threads=28,load-factor=0.9")));
        assertThat(labels(filtered)).containsExactly("linear-fixed,load-factor=0.9,record-bytes=16,threads=28");
    }

    @Test
    void aListedCellIsCheckedAsASweepIs() throws Exception {
        assertThat(problems("title: x\ncells:\n  - {table.recrod-bytes: 16}\n  - {clients.threads: 0}\n"))
                .extracting(problem -> problem.line() + ":" + problem.column() + ": " + problem.message())
                .containsExactly(
                        "3:6: unknown key \"table.recrod-bytes\"; did you mean \"table.record-bytes\"?",
                        "4:23: clients.threads must be a whole number from 1 to 65536, but is 0");
        assertThat(onlyProblem("title: x\nsweep: {seed: [1, 2]}\ncells: [{seed: 3}]\n")
                        .message())
                .isEqualTo("\"seed\" is swept, so a cell of the list can't set it");
        assertThat(onlyProblem("title: x\ncells: [{seed: 3}]\nrules: [{seed: 4}]\n")
                        .message())
                .isEqualTo("\"seed\" is swept, so a rule can't set it");
    }

    @Test
    void rowsOfMeasurementsAreCells() throws Exception {
        Files.writeString(dir.resolve("card.csv"), """
                id,source,place,card,profile,kind,used,scheme,clients.threads,verb.kind,verb.bytes,metric,value,unit,obstacle
                a,https://example.org,p,c,connectx5-edr,latency by size,held-out,verb,1,read,8,latency_ns.p50,2.5,us,
                b,https://example.org,p,c,connectx5-edr,latency by size,held-out,verb,1,read,8,latency_ns.p99,3.5,us,
                c,https://example.org,p,c,connectx6-200g,rate by size,held-out,verb,1,write,64,throughput_ops_per_s,3.5,M/s,
                d,https://example.org,p,c,,rate by size,held-out,verb,1,write,64,throughput_ops_per_s,3.5,M/s,no profile
                """);
        Scenario scenario = read("title: x\npoints: card.csv\n");

        assertThat(labels(scenario))
                .containsExactly(
                        "verb,nic=connectx5-edr,threads=1,kind=read,bytes=8,load-factor=0.5",
                        "verb,nic=connectx6-200g,threads=1,kind=write,bytes=64,load-factor=0.5");
        assertThat(read(scenario.resolvedYaml()).cells()).isEqualTo(scenario.cells());
        assertThat(onlyProblem("title: x\npoints: card.csv\ncells: [{seed: 1}]\n")
                        .message())
                .isEqualTo("cells and points exclude each other");
        assertThat(onlyProblem("title: x\npoints: cart.csv\n").message())
                .startsWith("there is no file ")
                .endsWith("cart.csv");
    }
}
