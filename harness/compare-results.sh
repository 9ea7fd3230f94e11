#!/usr/bin/env bash
# Compares the results of two builds byte by byte: the proof that a change of the code changes no result.
#
#   compare-results.sh [--cache DIR] BEFORE AFTER [SCENARIO...]
#
# BEFORE and AFTER are git revisions, or folders of checkouts. A revision is checked out into a temporary worktree and built
# there. Each build runs its own shipped scenarios (all, or the named ones) at quick scale, in one JVM. Scenarios that measure
# real time are left out and listed. --cache keeps results of revisions in DIR; what is there is not run again.
#
# Exit codes: 0 all results are the same, 1 some differ, 2 bad input or a build without results.
set -euo pipefail

here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
max_memory=6gib # the same for both builds: what does not fit is a failed run
together=all-scenarios # stands for the claims on several scenarios at once, in a run of all

fail() {
  printf 'compare-results: %s\n' "$1" >&2
  exit 2
}

clean_up() {
  local tree
  for tree in "$work"/*/tree; do
    if [ -d "$tree" ]; then git -C "$here" worktree remove --force "$tree" || true; fi
  done
  rm -rf "$work"
}

# Prints the names of the scenarios of checkout $1 that are simulated, or measured ($2).
scenarios() {
  local file kind
  for file in "$1"/scenarios/*/*.yaml; do
    case $file in */scenarios/nics/* | */scenarios/plans/* | */scenarios/cards/*) continue ;; esac
    kind=simulated
    if grep -qE '^[^#]*fabric:.*(tcp|shm|verbs)' "$file"; then kind=measured; fi
    if [ "$kind" = "$2" ]; then basename "$file" .yaml; fi
  done
}

# Runs what is missing of the results of build $2, for side $1 (before or after): lists scenarios in $work/$1/names, and makes
# the link $work/$1/results, a folder with a folder for each of them.
results_of() {
  local side=$work/$1 build=$2 tree commit store run missing name status=0
  mkdir -p "$side/new"
  store=$side/store
  if [ -d "$build" ]; then
    tree=$(CDPATH='' cd -- "$build" && pwd -P)
    [ -f "$tree/run.sh" ] || fail "$build: not a checkout, it has no run.sh"
  else
    commit=$(git -C "$here" rev-parse --verify --quiet "$build^{commit}") || fail "$build: neither a folder nor a revision"
    tree=$side/tree
    git -C "$here" worktree add --quiet --detach "$tree" "$commit"
    store=${cache:-$side}/$commit
  fi
  mkdir -p "$store"
  ln -s "$store" "$side/results"
  scenarios "$tree" measured >>"$work/measured"
  scenarios "$tree" simulated | { if [ ${#chosen[@]} -eq 0 ]; then cat; else grep -xF "$(printf '%s\n' "${chosen[@]}")" || true; fi; } >"$side/names"
  mapfile -t run <"$side/names"
  if [ ${#chosen[@]} -eq 0 ]; then echo "$together" >>"$side/names"; fi
  missing=$(while read -r name; do [ -f "$store/$name/claims.jsonl" ] || echo "$name"; done <"$side/names")
  [ -n "$missing" ] || return 0
  if [ ${#chosen[@]} -gt 0 ]; then mapfile -t run <<<"$missing"; fi # else all: claims on several need them together
  echo "$1: running ${#run[@]} scenarios of $build ..." >&2
  # A single scenario gets no folder of its own.
  "$tree/run.sh" run "${run[@]}" --scale quick --max-memory "$max_memory" --quiet \
    --out "$side/new$([ ${#run[@]} -gt 1 ] || echo "/${run[0]}")" >"$side/log" 2>&1 || status=$?
  if [ ${#chosen[@]} -eq 0 ] && [ -f "$side/new/claims.jsonl" ]; then
    mkdir "$side/new/$together"
    mv "$side/new/claims.jsonl" "$side/new/$together/"
  fi
  for name in $missing; do
    if [ "$status" -gt 1 ] || [ ! -f "$side/new/$name/claims.jsonl" ]; then # 1: a run failed, which is a result
      cat "$side/log" >&2
      fail "$build: no results of $name, see above"
    fi
    rm -rf "${store:?}/$name"
    mv "$side/new/$name" "$store/$name"
  done
}

# Prints the first line in which files $1 and $2 differ, around the place where it does.
first_difference() {
  awk -v before="$1" -v after="$2" '
    function excerpt(line) {
      return line == "" ? "(nothing)" : at > 160 ? substr(line, 1, 80) " ... " substr(line, at - 60, 160) : substr(line, 1, 240)
    }
    BEGIN {
      do {
        number++
        a = b = ""
        got = (getline a < before) + (getline b < after)
        if (a != b && !differing++) { first = number; was = a; is = b }
      } while (got > 0)
      for (at = 1; at <= length(was) && substr(was, at, 1) == substr(is, at, 1); at++) { }
      print "  " substr(after, match(after, /[^\/]*$/)) ": " differing + 0 " lines differ, first line " first + 0
      print "    before: " excerpt(was)
      print "    after:  " excerpt(is)
    }'
}

# Compares the results of scenario $1; false when they differ.
compare() {
  local before=$work/before/results/$1 after=$work/after/results/$1 file differing=()
  for file in $({ ls "$before"; ls "$after"; } | grep -E '^(measurements.jsonl|series.jsonl|histograms.hlog|summary.csv|claims.jsonl|.*\.data\.csv)$' | sort -u); do
    cmp -s "$before/$file" "$after/$file" || differing+=("$file")
  done
  if [ ${#differing[@]} -eq 0 ]; then echo "same       $1" && return 0; fi
  echo "different  $1"
  for file in "${differing[@]}"; do
    if [ ! -f "$before/$file" ]; then
      echo "  $file: only after"
    elif [ ! -f "$after/$file" ]; then
      echo "  $file: only before"
    else
      first_difference "$before/$file" "$after/$file"
    fi
  done
  return 1
}

cache=
if [ "${1:-}" = --cache ] && [ $# -ge 2 ]; then
  mkdir -p "$2"
  cache=$(CDPATH='' cd -- "$2" && pwd -P)
  shift 2
fi
case ${1:-} in
  -h | --help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 0 ;;
  -*) fail "$1: no such option; --help lists the options" ;;
esac
[ $# -ge 2 ] || fail "two builds are needed, BEFORE and AFTER; --help lists the options"
chosen=("${@:3}")
work=$(mktemp -d "${TMPDIR:-/tmp}/compare-results.XXXXXX")
trap clean_up EXIT
trap 'exit 130' INT TERM
results_of before "$1"
results_of after "$2"
for name in ${chosen[@]+"${chosen[@]}"}; do
  grep -qxF -- "$name" "$work"/*/names || fail "$name: no shipped scenario that is simulated"
done

same=0 different=0
for name in $(sort -u "$work"/*/names); do
  if ! grep -qxF "$name" "$work/before/names"; then
    echo "different  $name: only after"
  elif ! grep -qxF "$name" "$work/after/names"; then
    echo "different  $name: only before"
  elif compare "$name"; then
    same=$((same + 1))
    continue
  fi
  different=$((different + 1))
done
echo "left out, measured in real time: $(sort -u "$work/measured" | paste -sd ' ')"
echo "$same same, $different different"
[ "$different" -eq 0 ]
