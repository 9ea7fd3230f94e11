#!/bin/sh
# Artifact independent of Reprobe: linear probing in awk. It fills a table, looks up every key, and prints one line with the slots
# per lookup and the operations per second.
set -eu

records=10000 load_factor=0.5 rounds=1 seed=1
while [ $# -gt 0 ]; do
  case $1 in
    --records) records=$2 ;;
    --load-factor) load_factor=$2 ;;
    --rounds) rounds=$2 ;;
    --seed) seed=$2 ;;
    *) echo "probing.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done

began=$(date +%s%N)
counted=$(awk -v records="$records" -v load_factor="$load_factor" -v rounds="$rounds" -v seed="$seed" '
  BEGIN {
    srand(seed)
    slots = int(records / load_factor)
    for (key = 1; key <= records; key++) {
      home[key] = int(rand() * slots)
      for (at = home[key]; at in table; at = (at + 1) % slots) {}
      table[at] = key
    }
    for (round = 1; round <= rounds; round++)
      for (key = 1; key <= records; key++) {
        probes++
        for (at = home[key]; table[at] != key; at = (at + 1) % slots) probes++
      }
    print probes / (rounds * records)
  }')
ended=$(date +%s%N)
echo "filled $records records, looked each up $rounds times"
awk -v operations="$((records * (rounds + 1)))" -v ns="$((ended - began))" -v probes="$counted" '
  BEGIN { printf "{\"probes\": %s, \"rate\": {\"kops\": %.3f}, \"seconds\": %.6f}\n", probes, operations / ns * 1e6, ns / 1e9 }'
