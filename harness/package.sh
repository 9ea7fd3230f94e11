#!/usr/bin/env bash
# Makes the packages of a program that is built: package.sh HOME VERSION. Two runs on the same commit with the same JDK give the same bytes.
set -euo pipefail
home=$1
version=$2
app=$home/harness/cli
out=$app/target/packages

cd "$home"
mvn=mvn
command -v mvn > /dev/null 2>&1 || mvn=./mvnw

# Maven's output is printed only if it fails.
maven() {
  local log
  log=$(mktemp)
  if ! "$mvn" "$@" > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

# From nothing: old classes and libraries must not come along.
echo "building ..." >&2
maven -B -q -T 1C -DskipTests -Dspotless.check.skip=true clean package
mkdir -p "$out"

# A package is in no repository: its results' statement about the program is written now.
commit=$(git -C "$home" rev-parse HEAD 2>/dev/null || echo unknown)
changes=unknown
if status=$(git -C "$home" status --porcelain --untracked-files=no 2>/dev/null); then changes=${status:+yes} changes=${changes:-no}; fi
printf 'commit=%s\nuncommitted-changes=%s\n' "$commit" "$changes" > "$app/target/build.properties"

echo "finding out what the program needs of Java ..." >&2
modules=$("$JAVA_HOME/bin/jdeps" --multi-release 25 --ignore-missing-deps --print-module-deps \
  "$app/target/reprobe-cli-$version.jar" "$app"/target/lib/*.jar | tail -n 1) # behind its warnings
# What is found by name alone: cards' and memory's counters, zip files as folders, elliptic curves, profiles.
"$JAVA_HOME/bin/jlink" --add-modules "$modules,jdk.zipfs,jdk.crypto.ec,jdk.jfr" --strip-debug --no-header-files --no-man-pages \
  --output "$app/target/runtime"

echo "packing ..." >&2
maven -B -q -Ppackage -DskipTests -Dspotless.check.skip=true -pl harness/cli -am package \
  "-Dreprobe.platform=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
cp "$app/target/sbom.json" "$out/reprobe-$version-sbom.json"
cp "$home/harness/verbs/target/disni-rdma-core-$version.jar" "$out/"
(cd "$out" && sha256sum -- *.zip *.jar *.json > SHA256SUMS)
echo "Packages:"
for file in "$out"/*.zip; do printf '    %s  (%d MB)\n' "$file" $((($(wc -c < "$file") + 500000) / 1000000)); done
echo "Beside them: a jar for other programs, the list of parts (SBOM) and SHA256SUMS. To use one: unzip it, then bin/reprobe --help"
