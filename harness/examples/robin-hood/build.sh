#!/usr/bin/env bash
# Compiles the example against Reprobe as built by ./run.sh; with "test", tests it as well. Other projects would use Maven.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
reprobe=${REPROBE_HOME:-$here/../../..}
classes=$here/target/classes
jars=("$reprobe"/harness/cli/target/reprobe-cli-*.jar)
mkdir -p "$classes"
find "$here/src/main/java" -name '*.java' -print0 |
  xargs -0 "${JAVA_HOME:+$JAVA_HOME/bin/}javac" --release 25 -parameters -proc:none -d "$classes" \
    -cp "${jars[0]}:$reprobe/harness/cli/target/lib/*"
cp -r "$here/src/main/resources/." "$classes/"
"${JAVA_HOME:+$JAVA_HOME/bin/}jar" --create --file "$here/target/robin-hood.jar" -C "$classes" .
if [ "${1:-}" = test ]; then
  mkdir -p "$here/target/test-classes"
  path="$here/target/robin-hood.jar:${jars[0]}:$reprobe/harness/cli/target/lib/*"
  find "$here/src/test/java" -name '*.java' -print0 |
    xargs -0 "${JAVA_HOME:+$JAVA_HOME/bin/}javac" --release 25 -proc:none -d "$here/target/test-classes" -cp "$path"
  "${JAVA_HOME:+$JAVA_HOME/bin/}java" --enable-native-access=ALL-UNNAMED -Dreprobe.home="$reprobe" \
    -cp "$here/target/test-classes:$path" org.example.robinhood.RobinHoodTest "$here"
fi
