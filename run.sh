#!/usr/bin/env bash
# Builds Reprobe if necessary and runs it. ./run.sh --help lists the commands.
set -euo pipefail
# Settings of the caller's shell that change how this script is read, or what its programs print.
set +o posix +o noclobber +o noglob
unset BASH_ENV CDPATH GLOBIGNORE GREP_OPTIONS POSIXLY_CORRECT
if [ ! -d "${TMPDIR:-/tmp}" ] || [ ! -w "${TMPDIR:-/tmp}" ]; then unset TMPDIR; fi

# The next opened file would take the place of a closed standard stream, and receive its output. Bash itself may
# have opened this script as the third.
{ : 9<&0; } 2>/dev/null || exec </dev/null
if ! (: 9>&2) || [ /dev/fd/2 -ef "${BASH_SOURCE[0]}" ]; then exec 2>/dev/null; fi
{ : 9>&1; } 2>/dev/null || exec 1</dev/null # can't be written to, which is reported as for any other output

# In an ASCII locale (LANG=C or none, as in cron and containers) a JVM can't open paths with other characters.
letter=$'\303\251' # one character in UTF-8, two in others
if [ ${#letter} != 1 ]; then
  case $(locale charmap 2>/dev/null || true) in
    ANSI_X3.4-1968 | US-ASCII | 646 | '')
      for locale in C.UTF-8 en_US.UTF-8; do
        if [ "$(LC_ALL=$locale locale charmap 2>/dev/null)" = UTF-8 ]; then
          export LC_ALL=$locale
          break
        fi
      done
      ;;
  esac
fi

self=${BASH_SOURCE[0]}
while [ -L "$self" ]; do # called by a link
  link=$(readlink -- "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname -- "$self")/$link ;;
  esac
done
case $self in */*) home=${self%/*}/ ;; *) home=. ;; esac
home=$(CDPATH='' cd -- "$home" && pwd -P)
needed=25
version=0.1.0
target=$home/harness/cli/target
jar=$target/reprobe-cli-$version.jar
stamp=$target/.built
# Exists while Maven runs, and after it was interrupted; outside modules' folders, which Maven may clean.
unfinished=$home/harness/target/.unfinished
# Packages contain this script, too, and nothing to build.
packaged=
# The program's classes as the JVM keeps them (JEP 483, 514, 515), made once. The JVM ignores it
# after any change of the program or of Java.
cache=$target/startup.aot
if [ -f "$home/build.properties" ]; then
  packaged=yes
  cache=$home/lib/startup.aot
fi
jvm_flags=(--enable-native-access=ALL-UNNAMED -Djava.awt.headless=true -Xlog:disable -Xlog:all=warning,os+thread=off:stderr "-Dreprobe.home=$home")
# A package may be in a folder that the user can't write to.
if [ -n "$packaged" ]; then jvm_flags+=("-Dreprobe.results=$PWD/results"); fi

usage() {
  cat <<'USAGE'
Usage: ./run.sh [COMMAND]

Reproduces experiments on hash tables in remote memory, on a simulated network card.

Without a command it reproduces the linear-probing paper at quick scale; results/latest/ has the report.

  new          write a project folder that runs at once: artifact, system or paper, and its name
  list         list the scenarios and what each reproduces
  run          run scenarios: files, folders of them, or shipped names
  validate     check scenario files and report all errors
  reference    list every key of a scenario file (or of claims, nic, plan, notes, history) or every metric, with meaning
  merge        merge the results of a run's shards (run --shard)
  report       write figures, claims and report again from result folders
  export       write a result as zip for Zenodo, as a CSV table or as OpenMetrics
  plan         choose scheme, load factor, number of servers and NIC
  check        search for schedules with wrong answers; with --fabric kill processes of real runs
  regress      detect regressions between two results, two builds run in turns, or all results of a machine
  calibrate    time a fabric and write a NIC profile for --nic
  serve        run scenarios with client processes started by the user
  drive        start such a client process
  doctor       check this machine for --fabric verbs
  completion   print a script for shell completion: source <(./run.sh completion bash)
  test         build with all tests and checks; Maven's options follow
  bench        run benchmarks
  vm           run a command in a virtual machine with software RDMA; by default the verbs tests and a scenario
  package      write zip files for users, with and without Java, into harness/cli/target/packages

./run.sh COMMAND --help shows the options of a command.
With --project DIR, scenarios, NIC profiles, published numbers and systems (jars) are also read from your own folder.

Exit codes: 0 success, 1 a run failed (--strict: or a claim missed) or output could not be written, 2 bad input,
3 regress undecided, 130 interrupted, 141 the reader of the output ended early (as head does).
USAGE
}

bench_usage() {
  cat <<'USAGE'
Usage: ./run.sh bench [NAME...] [OPTIONS]
       ./run.sh bench verbs [ROUNDS]
       ./run.sh bench RegressProof time SECONDS FILE [TIMING_MS [shm|memory]]
       ./run.sh bench RegressProof FILE...
       ./run.sh bench RegressProof made [HISTORIES]
       ./run.sh bench ProtocolMutants [SECONDS [SYSTEM [EVERY [DRAWN [FIRST]]]]]
       ./run.sh bench SampleProof [SEED]
       ./run.sh bench ScaleOut [ROUNDS]
       ./run.sh bench ReadsAgainstSsj [ROUNDS]
       ./run.sh bench ShmFindOrPut
       ./run.sh bench KillProof [ROUNDS [SEED [kill|pause|stop [FABRIC...]]]]

Runs the JMH benchmarks whose names contain a NAME, all of them without one. JMH's options follow the names:

  -l                list the benchmarks
  -f N -wi N -i N   forks, warm-up iterations, iterations
  -w TIME -r TIME   duration of a warm-up iteration and of an iteration
  -t N              threads
  -p NAME=VALUE,... values of a benchmark's parameter
  -prof gc          a profiler
  -rf json -rff FILE  results into a file
  -h                all options of JMH

verbs compares our verbs with perftest, in turns, in a virtual machine. RegressProof measures how well regress detects slowdowns
in timings of this machine. ProtocolMutants is mutation testing of protocols by check's derived configurations. ShmFindOrPut
times find-or-put in processes over shared memory. ReadsAgainstSsj times simulated READs in turns with a library for
discrete-event simulation. These need an idle machine. ScaleOut measures benefit and cost of shards and writes
results/benchmarks/scale-out.md. SampleProof compares short simulated runs with the tables and with long runs, in virtual time,
and writes results/benchmarks/sampling.md. KillProof kills or stops processes of runs at random moments and checks the rest;
with verbs among its fabrics (./run.sh bench KillProof 20 1 kill verbs) it runs in the virtual machine, minutes per round.
USAGE
}

# Of a JDK; a package needs no compiler.
tool=javac
if [ -n "$packaged" ] && [ "${1:-}" != class-path ]; then tool=java; fi

# True if the JDK in folder $1 is there and new enough; its complete version, if it has a file with that, is in java_version.
is_jdk() {
  local line version=
  java_version=
  [ -x "$1/bin/java" ] && [ -x "$1/bin/$tool" ] || return 1
  if [ -r "$1/release" ]; then
    while read -r line || [ -n "$line" ]; do
      case $line in
        JAVA_VERSION=\"*) version=${line#*\"} ;;
        JAVA_RUNTIME_VERSION=\"*) java_version=${line#*\"} ;;
      esac
    done <"$1/release"
  else
    # "Picked up JAVA_TOOL_OPTIONS" comes first where that is set.
    version=$("$1/bin/$tool" --version 2>&1 | sed -n 's/^[a-z]* \([0-9][0-9]*\).*/\1/p' | head -n 1)
  fi
  version=${version%%[!0-9]*}
  [ -n "$version" ] && [ "$version" -ge "$needed" ]
}

find_jdk() {
  local candidate found
  for candidate in ${packaged:+"$home/runtime"} ${JAVA_HOME:+"$JAVA_HOME"} PATH \
    /usr/lib/jvm/* /opt/* "${HOME:-/}"/.sdkman/candidates/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if [ "$candidate" = PATH ]; then
      found=$(command -v "$tool") || continue
      candidate=$(dirname -- "$(dirname -- "$(readlink -f -- "$found" 2>/dev/null || printf '%s' "$found")")")
    fi
    if is_jdk "$candidate"; then
      JAVA_HOME=$candidate
      export JAVA_HOME
      return 0
    fi
  done
  cat >&2 <<MISSING
Reprobe needs ${packaged:+a Java runtime or }a JDK $needed or newer, and found none in JAVA_HOME, PATH or the usual folders.
Install one, for example Eclipse Temurin (https://adoptium.net) or with SDKMAN: sdk install java $needed-tem
Then run this again, with JAVA_HOME set to it if it is in an unusual place.
MISSING
  exit 2
}

# Locks this checkout until unlock: only one Maven may run in it at a time. Maven inherits the descriptor, so it holds
# the lock for a script that was killed. Where there is no flock, or not on this file system, a link names the process.
locked=
lock() {
  [ -z "$locked" ] || return 0
  can_build
  local status=0 holder link=$home/harness/target/lock
  exec 9<"$home/run.sh"
  flock -n 9 2>/dev/null || status=$?
  case $status in
    0) locked=descriptor ;;
    1)
      echo "waiting for another ./run.sh that builds here ..." >&2
      flock 9
      locked=descriptor
      ;;
    *)
      mkdir -p "$home/harness/target"
      until ln -s "$$" "$link" 2>/dev/null; do
        holder=$(readlink "$link" || true)
        if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null && ! ps -p "$holder" >/dev/null 2>&1; then
          # It was killed. Of several that replace its link at the same time the last has the lock.
          ln -s "$$" "$link.$$" && mv -f "$link.$$" "$link"
          sleep 1
          if [ "$(readlink "$link" || true)" = "$$" ]; then break; fi
        elif [ "$status" != waiting ]; then
          status=waiting
          echo "waiting for another ./run.sh that builds here (process $holder) ..." >&2
        else
          sleep 1
        fi
      done
      locked=$link
      trap unlock EXIT
      ;;
  esac
}

unlock() {
  case $locked in /*) rm -f "$locked" ;; esac
  locked=
  exec 9<&-
}

# Exits with a message if this user can't build.
can_build() {
  local module folder
  for module in "$home"/{analysis,plots,harness/*,harness/examples/*}; do
    [ -f "$module/pom.xml" ] || continue
    if [ ! -e "$module/target" ] && [ ! -w "$module" ]; then refuse_to_build "$module"; fi
    for folder in "$module/target" "$module"/target/*; do
      if [ -e "$folder" ] && [ ! -w "$folder" ]; then refuse_to_build "$folder"; fi
    done
  done
}

refuse_to_build() {
  echo "The program must be built, and you may not write to $1: its owner can build it by ./run.sh --version, or use a clone of your own." >&2
  exit 2
}

# Names and sizes of the files of the program.
parts() {
  (cd "$target" && wc -c "${jar##*/}" lib/*.jar) 2>/dev/null || true
}

# Runs Maven. After an interruption everything is built again, since Maven compares only times and would take partial
# files for complete ones.
maven() {
  local status=0 interrupted= mvn=mvn
  lock
  if [ -e "$unfinished" ] || { [ -e "$stamp" ] && [ "$(parts)" != "$(<"$stamp")" ]; }; then
    rm -rf "$home"/{analysis,plots,harness/*,harness/systems/*,harness/examples/*}/target/{classes,test-classes,maven-status,generated-sources,lib,*.jar}
  fi
  mkdir -p "${unfinished%/*}"
  touch "$unfinished"
  trap 'interrupted=130' INT
  trap 'interrupted=143' TERM
  command -v mvn >/dev/null 2>&1 || mvn=./mvnw
  (cd "$home" && "$mvn" "$@") || status=$?
  trap - INT TERM
  if [ -n "$interrupted" ]; then exit "$interrupted"; fi
  if [ "$status" -gt 128 ]; then exit "$status"; fi
  rm -f "$unfinished"
  return "$status"
}

# True if no input of the program is newer than the last build, and the program has all its files: find adds nothing to
# their names and sizes.
built() {
  [ -f "$stamp" ] && [ ! -e "$unfinished" ] || return 1
  # The last three are templates of the command "new".
  local examples="$home/harness/examples"
  [ "$(
    parts &
    find "$home/pom.xml" "$home"/{analysis,plots,harness/*,harness/systems/*}/{pom.xml,src} \
      "$examples"/{own-artifact,own-paper,robin-hood}/{*.sh,pom.xml,src,scenarios,results/published} -newer "$stamp" -print 2>/dev/null || true
    wait
  )" = "$(<"$stamp")" ]
}

# Reports the modules that Maven has begun: in a line that is rewritten on a terminal, elsewhere every 10 seconds.
watch_build() {
  local log=$1 begun last= seconds=0
  while kill -0 $$ 2>/dev/null && sleep 1 >/dev/null 2>&1; do
    seconds=$((seconds + 1))
    begun=$(sed -n 's/^\[INFO\] Building .*\[\([0-9]*\)\/\([0-9]*\)\]$/module \1 of \2/p' "$log" 2>/dev/null | tail -n 1)
    if [ -z "$begun" ] || [ "$begun" = "$last" ]; then continue; fi
    if [ -t 2 ]; then
      printf '\r\033[K%s, %d s' "$begun" "$seconds" >&2
    elif [ $((seconds % 10)) = 0 ]; then
      echo "building ... $begun, $seconds s" >&2
      last=$begun
    fi
  done
}

build() {
  built && return 0
  lock
  if ! built; then # by another script in the meantime
    echo "building ..." >&2
    local log=$target/build.log started=$target/.started watcher failed=
    mkdir -p "$target"
    : >"$started" >"$log"
    watch_build "$log" 9<&- &
    watcher=$!
    maven -B -ntp -T 1C -DskipTests -Dspotless.check.skip=true package >"$log" 2>&1 || failed=yes
    kill "$watcher" 2>/dev/null && wait "$watcher" 2>/dev/null || true
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
    if [ -n "$failed" ]; then
      sed '/^\[INFO\]/d' "$log" >&2
      echo "The build failed; its log is above." >&2
      exit 1
    fi
    # Dated before the build, so that changes during it are built next time.
    parts >"$stamp.new"
    touch -r "$started" "$stamp.new"
    mv "$stamp.new" "$stamp"
    rm -f "$started" "$log"
    rm -f "$cache"
  fi
  unlock
}

# Prints the class path; its order must be the same whenever the cache is used.
class_path() {
  local LC_ALL=C IFS=:
  if [ -n "$packaged" ]; then set -- "$home"/lib/*.jar; else set -- "$jar" "$target"/lib/*.jar; fi
  printf '%s' "$*"
}

# Makes the cache by short commands in one process. An empty file means that this JVM can't make one. The run's profile for the compilers is
# left out: long simulations were 3 to 10 % slower with it.
cache_classes() {
  local folder made
  folder=$(mktemp -d) || return 0
  made=$folder/startup.aot
  if [ -n "$packaged" ]; then echo "preparing for faster starts ..." >&2; fi
  cat >"$folder/start.yaml" <<'SCENARIO'
title: Start
clients: {machines: 1, threads: 2}
table: {records: 4096, record-bytes: 16}
sweep: {load-factor: [0.5, 0.6], scheme: [cuckoo-parallel, linear-variable, nessie]}
measure: {repeats: 1, duration-ms: 0.05}
figures: [{name: figure, title: Lookup throughput, x: load-factor, y: throughput, series: scheme}]
SCENARIO
  cat >"$folder/cut.yaml" <<'SCENARIO'
title: Cut link
clients: {machines: 2, threads: 2}
table: {records: 4096}
scheme: linear-variable
sweep: {load.rate-per-s: [full, 1e6]}
measure: {repeats: 2, duration-ms: 0.2}
faults: [{kind: cut, machine: client-0, to: server, at-ms: 0.05, for-ms: 0.05}]
figures: [{name: figure, title: Latency, x: time-ms, y: latency-mean, series: load.rate-per-s, log-y: true}]
SCENARIO
  "$JAVA_HOME/bin/java" "${jvm_flags[@]}" -Dreprobe.project= "-Dreprobe.results=$folder" -Xmx1g "-XX:AOTCacheOutput=$made" \
    -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining \
    -cp "$(class_path)" org.reprobe.cli.CacheTraining list -- validate "$folder/start.yaml" -- \
    plan --records 1000 --value-bytes 8 --lookups-per-second 1000 --memory-per-server-gib 1 --quiet -- \
    run "$folder/start.yaml" --quiet --shard 1/2 --out "$folder/shards" -- \
    run "$folder/start.yaml" "$folder/cut.yaml" --quiet --out "$folder/out" </dev/null >/dev/null 2>&1 ||
    rm -f "$made"
  [ -s "$made" ] || : >"$made"
  mv -f "$made" "$cache.$$" && mv -f "$cache.$$" "$cache" || true
  rm -rf "$folder"
}

# The user's folder, by --project DIR or REPROBE_PROJECT: its jars are added to the program. Commands of vm have their own.
project=${REPROBE_PROJECT:-}
first=${1:-}
arguments=()
while [ $# -gt 0 ]; do
  case $first:$1 in
    vm:*) arguments+=("$1") ;;
    *:--project=*) project=${1#--project=} ;;
    *:--project)
      if [ $# -lt 2 ]; then
        echo "--project: needs a folder" >&2
        exit 2
      fi
      project=$2
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
set -- ${arguments[@]+"${arguments[@]}"}
project_jars=
if [ -n "$project" ]; then
  if [ ! -d "$project" ]; then
    echo "--project $project: there is no such folder" >&2
    exit 2
  fi
  project=$(CDPATH='' cd -- "$project" && pwd -P)
  jvm_flags+=("-Dreprobe.project=$project")
  for file in "$project"/*.jar "$project"/lib/*.jar "$project"/target/*.jar; do
    if [ -f "$file" ]; then
      case $file in
        *:*)
          echo "$file: a jar can't have a colon in its path, since colons separate the parts of a class path: move it." >&2
          exit 2
          ;;
      esac
      project_jars=$project_jars:$file
    fi
  done
fi

case "${1:-}" in
  -h | --help | help)
    usage
    exit 0
    ;;
esac
case "${1:-} ${2:-}" in
  'package -h' | 'package --help')
    echo "Usage: ./run.sh package"
    echo "Makes zip files in harness/cli/target/packages: one needs Java $needed, one includes it."
    exit 0
    ;;
  'test -h' | 'test --help')
    echo "Usage: ./run.sh test [--nightly] [MAVEN OPTIONS]"
    echo "Builds with tests and checks; -Dtest='Some*' -Dsurefire.failIfNoSpecifiedTests=false runs some."
    echo "With --nightly (or -Dreprobe.nightly=true) also slow tests that have a quicker counterpart;"
    echo "otherwise the last line lists them."
    exit 0
    ;;
esac

if [ -n "$packaged" ]; then
  case "${1:-}" in
    test | bench | vm | package)
      echo "$1 is not in the package, only in a clone of the repository" >&2
      exit 2
      ;;
  esac
fi

case $home in
  *:*)
    echo "$home: a Java program can't be in a folder with a colon in its path, since colons separate the parts of a class path: move it." >&2
    exit 2
    ;;
esac

# A JVM raises the soft limit itself. With a lower one it fails to find classes of the program's jars, without a reason.
files=$(ulimit -Hn)
if [ "$files" != unlimited ] && [ "$files" -lt 128 ]; then
  echo "A process may have $files open files here (ulimit -Hn), and Reprobe needs at least 128: raise the limit." >&2
  exit 2
fi
find_jdk
case "${1:-}" in
  package)
    shift
    if [ $# -gt 0 ]; then
      echo "package: takes no arguments" >&2
      exit 2
    fi
    lock
    mkdir -p "${unfinished%/*}"
    touch "$unfinished"
    bash "$home/harness/package.sh" "$home" "$version"
    rm -f "$unfinished"
    ;;
  vm)
    shift
    if [ $# -gt 0 ]; then
      exec bash "$home/harness/vm/vm.sh" "$@"
    fi
    # Reports a missing requirement of the virtual machine before anything is built.
    bash "$home/harness/vm/vm.sh" --check
    echo "running the verbs tests and a scenario in virtual machines, some minutes ..." >&2
    status=0
    maven -B -q -pl harness/cli -am test -Dspotless.check.skip=true -Dreprobe.nightly=true -Dtest=VerbsInGuestTest -Dsurefire.failIfNoSpecifiedTests=false ||
      status=$?
    grep -ahE '^(PASS|FAIL|SKIP|# fabric|scenario exit) ?' "$target/verbs-in-guest.txt" || true
    exit "$status"
    ;;
  test)
    shift
    lock
    bash "$home/harness/needs.sh" install
    # Maven takes classes compiled without -Plint for current.
    rm -rf "$home"/{*,harness/*,harness/systems/*,harness/examples/*}/target/{not-tested,left-to-nightly,classes,test-classes,maven-status}
    options=()
    for option; do
      if [ "$option" = --nightly ]; then option=-Dreprobe.nightly=true; fi
      options+=("$option")
    done
    # -Plint must be first, since it determines how classes are compiled; verify includes the formatter's check. Independent
    # modules are built in parallel, one per core.
    status=0
    maven -B -T 1C -Plint verify -Dreprobe.fast-starts=true ${options[@]+"${options[@]}"} || status=$?
    for reason in "$home"/{*,harness/*,harness/systems/*}/target/not-tested/*; do
      if [ -f "$reason" ]; then printf '\n*** NOT TESTED: %s ***\n' "$(cat "$reason")"; fi
    done
    left=()
    for file in "$home"/{*,harness/*,harness/systems/*,harness/examples/*}/target/left-to-nightly/*; do
      if [ -f "$file" ]; then left+=("$(cat "$file")"); fi
    done
    if [ ${#left[@]} -gt 0 ]; then
      printf '\nLeft to ./run.sh test --nightly: %d tests' ${#left[@]}
      printf '; %s' "${left[@]}"
      printf '\n'
    fi
    exit "$status"
    ;;
  class-path) # of build.sh of a project: the folder of the JDK, and the program's classes
    if [ -z "$packaged" ]; then build; fi
    printf '%s\n' "$JAVA_HOME" "$(class_path)"
    ;;
  bench)
    shift
    case "${1:-}" in
      -h | --help)
        bench_usage
        exit 0
        ;;
    esac
    build
    path=$home/harness/cli/target/bench-class-path
    if [ ! -f "$path" ] || [ "$home/harness/cli/pom.xml" -nt "$path" ] || [ "$stamp" -nt "$path" ]; then
      # JMH is among the libraries of the tests, so Maven prints its class path.
      maven -B -q package -DskipTests -Dspotless.check.skip=true -pl harness/cli -am \
        dependency:build-classpath -DincludeScope=test "-Dmdep.outputFile=target/bench-class-path" >&2
    fi
    if [ "${1:-}" = verbs ]; then
      shift
      exec bash "$home/harness/vm/vm.sh" --with perftest "$JAVA_HOME/bin/java" "${jvm_flags[@]}" -Xmx512m \
        -XX:+UseSerialGC -cp "$home/harness/cli/target/test-classes:$home/harness/cli/target/classes:$(cat "$path")" \
        org.reprobe.fabric.verbs.VerbsAgainstPerftest "$@"
    fi
    case "${1:-}${REPROBE_VM_ADDRESS:-}: ${*:5} " in
      KillProof:*' verbs '*)
        shift
        # Options of all JVMs there, including those started by runs, so that a start takes a third of the time.
        exec bash "$home/harness/vm/vm.sh" --limit "${REPROBE_VM_LIMIT_S:-86400}" env GIT_DIR=/dev/null \
          JAVA_TOOL_OPTIONS='-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0' \
          "$JAVA_HOME/bin/java" "${jvm_flags[@]}" -Xmx256m -XX:+UseSerialGC \
          -cp "$home/harness/cli/target/test-classes:$home/harness/cli/target/classes:$(cat "$path")" \
          org.reprobe.run.KillProof "$@"
        ;;
    esac
    main=org.openjdk.jmh.Main
    # Without JMH: these time whole experiments, and other processes.
    case "${1:-}" in
      RegressProof) main=org.reprobe.regress.RegressProof && shift ;;
      ScaleOut) main=org.reprobe.run.ScaleOut && shift ;;
      SampleProof) main=org.reprobe.run.SampleProof && shift ;;
      ReadsAgainstSsj) main=org.reprobe.run.ReadsAgainstSsj && shift ;;
      KillProof) main=org.reprobe.run.KillProof && shift ;;
      ProtocolMutants) main=org.reprobe.trial.ProtocolMutants && shift ;;
      ShmFindOrPut) main=org.reprobe.findorput.ShmFindOrPut && shift ;;
    esac
    exec "$JAVA_HOME/bin/java" "${jvm_flags[@]}" --sun-misc-unsafe-memory-access=allow -Xmx1g \
      -cp "$home/harness/cli/target/test-classes:$home/harness/cli/target/classes:$(cat "$path")" "$main" "$@"
    ;;
  *)
    if [ -z "$packaged" ]; then build; fi
    # Tables are outside the heap. The serial collector is as fast here as the parallel one and takes less memory.
    # Reflection only reads files and options: code generated for it costs more than it gains.
    jvm_flags+=(-XX:+UseSerialGC -XX:-UsePerfData -Djdk.reflect.useNativeAccessorOnly=true)
    if [ ! -e "$cache" ] && [ -w "${cache%/*}" ]; then cache_classes || true; fi
    case "$java_version:$*" in
      ?*:--version | ?*:-V) # as Java prints it, whose start takes longer than all the rest
        if printf '%s\n' "Reprobe $version" "Java ${java_version%%\"*}" 2>/dev/null; then exit; fi
        echo "Standard output could not be written: what was printed is not complete." >&2
        exit 1
        ;;
    esac
    # Processes that measure real time start without the cache and without huge pages, as those that a run starts.
    case "${1:-}" in
      serve | drive | worker | calibrate | doctor) ;;
      *)
        # The heap's page faults take longer than many commands, where Linux has huge pages for those that request them.
        pages=
        { read -r pages </sys/kernel/mm/transparent_hugepage/enabled || true; } 2>/dev/null
        case $pages in *'[madvise]'*) jvm_flags+=(-XX:+UseTransparentHugePages) ;; esac
        if [ -s "$cache" ]; then
          jvm_flags+=("-XX:AOTCache=$cache" "-Dreprobe.startup-cache=$cache" "-Xlog:aot*=off,cds*=off:stderr")
        fi
        # Ten times the defaults, by which the second compiler mostly compiles code that only starts and reports.
        jvm_flags+=(-XX:Tier4InvocationThreshold=50000 -XX:Tier4MinInvocationThreshold=6000
          -XX:Tier4CompileThreshold=150000 -XX:Tier4BackEdgeThreshold=400000)
        ;;
    esac
    # Commands that only read files, or simulate for less than a second, end before the second compiler pays.
    case "${1:-} ${2:-}" in
      '--version '* | '-V '* | *' -h' | *' --help' | 'list '* | 'plan '* | 'validate '* | 'reference '* | 'completion '*)
        case "$*" in
          *--proof* | *--verify*) ;;
          *) jvm_flags+=(-XX:TieredStopAtLevel=1) ;;
        esac
        ;;
    esac
    # Of a terminal: how wide tables may be, and what is coloured there.
    if [ -t 1 ]; then
      columns=$(stty size 2>/dev/null </dev/tty | cut -d ' ' -f 2) || true
      if [ "${columns:-0}" -ge 40 ] 2>/dev/null; then jvm_flags+=("-Dreprobe.columns=$columns"); fi
    fi
    if [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
      colour=
      if [ -t 1 ]; then colour=out; fi
      if [ -t 2 ]; then colour=$colour,err; fi
      if [ -n "$colour" ]; then jvm_flags+=("-Dreprobe.colour=$colour"); fi
    fi
    # Histories of millions of operations are not outside the heap.
    heap=1g
    if [ "${1:-}" = check ]; then heap=4g; fi
    exec "$JAVA_HOME/bin/java" "${jvm_flags[@]}" "-Xmx$heap" -cp "$(class_path)$project_jars" org.reprobe.cli.Reprobe "$@"
    ;;
esac
