#!/usr/bin/env bash
# One shard of a run, as a task of a Slurm job array. Written by Reprobe; see docs/internals/processes.md.
if [ "$(locale charmap 2> /dev/null)" != UTF-8 ]; then export LC_ALL=C.UTF-8; fi # else a JVM has no names for some files
dir=@DIR@
shard=$SLURM_ARRAY_TASK_ID
here=$dir/shards/$shard
if [ ! -f "$dir/shards/plan.json" ]; then
  echo "node $SLURMD_NODENAME finds no $dir/shards/plan.json: the folder must be on a file system that all nodes share" >&2
  exit 9
fi
child=
requeue=no
end() {
  told=yes
  if [ -n "$child" ]; then kill -TERM "$child" 2> /dev/null; fi
}
trap end TERM                  # cancelled, preempted, or the node is given back: what has ended is kept
trap 'requeue=yes; end' USR1   # the time limit is near
@PROGRAM@ run --resume "$dir" --shard "$shard/@COUNT@" --jobs @CPUS@ &
child=$!
# A signal ends "wait", not the child, and its code is then the signal's. A test that the child lives proves
# nothing: it may have ended since. So it is waited for until no signal came between; a second wait for one
# that has ended gives its code again, or, where the shell has lost it, 127 or less than 0.
code=127
while :; do
  told=no
  wait "$child"
  now=$?
  if [ "$now" -ge 0 ] && [ "$now" != 127 ]; then code=$now; fi
  if [ "$told" = no ]; then break; fi
done
trap - TERM USR1
if [ "$requeue" = no ] || [ "$code" -lt 128 ]; then exit "$code"; fi
# Out of time: once more, unless that was no use three times.
lines=$(cat "$here"/*/measurements.jsonl "$here"/*/*/measurements.jsonl 2> /dev/null | wc -l)
times=0 before=
if [ -f "$here/timeouts" ]; then read -r times before < "$here/timeouts"; fi
if [ "$lines" = "$before" ]; then times=$((times + 1)); else times=1; fi
echo "$times $lines" > "$here/timeouts"
if [ "$times" -gt 3 ]; then
  echo "time limit reached three times without a new run: request more with --time" >&2
  exit "$code"
fi
scontrol requeue "${SLURM_ARRAY_JOB_ID}_$shard"
sleep 60 # Slurm ends this
