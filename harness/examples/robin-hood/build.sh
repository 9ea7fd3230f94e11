#!/usr/bin/env bash
# Compiles the system against Reprobe, which it builds if necessary, with run.sh's JDK; with "test", tests it as well.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
reprobe=${REPROBE_HOME:-$here/../../..}
classes=$here/target/classes
{ IFS= read -r JAVA_HOME && IFS= read -r libraries; } < <("$reprobe/run.sh" class-path)
mkdir -p "$classes"
find "$here/src/main/java" -name '*.java' -print0 |
  xargs -0 "$JAVA_HOME/bin/javac" --release 25 -parameters -proc:none -d "$classes" -cp "$libraries"
cp -r "$here/src/main/resources/." "$classes/"
"$JAVA_HOME/bin/jar" --create --file "$here/target/robin-hood.jar" -C "$classes" .
if [ "${1:-}" = test ]; then
  mkdir -p "$here/target/test-classes"
  path="$here/target/robin-hood.jar:$libraries"
  find "$here/src/test/java" -name '*.java' -print0 |
    xargs -0 "$JAVA_HOME/bin/javac" --release 25 -proc:none -d "$here/target/test-classes" -cp "$path"
  "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED -Dreprobe.home="$reprobe" \
    -cp "$here/target/test-classes:$path" org.example.robinhood.RobinHoodTest "$here"
fi
