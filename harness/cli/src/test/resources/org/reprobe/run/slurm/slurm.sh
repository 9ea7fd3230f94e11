#!/usr/bin/env bash
# A Slurm of several nodes on this machine, for tests: own folder, no systemd, cgroups only if asked for, no accounting, 127.0.0.1 only.
#   slurm.sh up DIR [NODES [CPUS [cgroup]]]  starts it, waits until all nodes are idle; then: export SLURM_CONF=DIR/slurm.conf
#                                   with cgroup jobs get no more memory than they asked for: as root, where there are such of version 1
#   slurm.sh kill DIR NODE          a node dies: its slurmd, its slurmstepds and all that they started, by SIGKILL
#   slurm.sh lose DIR NODE          only its slurmd dies: what runs there runs on, unknown to Slurm
#   slurm.sh revive DIR NODE        the node comes back
#   slurm.sh down DIR               ends everything, each process by its own id
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin
dir=$2
export SLURM_CONF=$dir/slurm.conf

free_ports() { # the first of $1 consecutive free ports
  local base p
  while :; do
    base=$((20000 + RANDOM % 10000))
    for ((p = base; p < base + $1; p++)); do
      if (exec 3<> "/dev/tcp/127.0.0.1/$p") 2> /dev/null; then continue 2; fi
    done
    echo "$base" && return
  done
}

up() {
  local nodes=${1:-2} cpus=${2:-1} limits=${3:-} user host port i only=
  user=$(id -un) host=$(hostname -s) port=$(free_ports $((nodes + 1)))
  # Told to, Slurm listens only on the address that the host's name stands for; srun works so only where that is 127.0.0.1.
  if [ "$(getent ahostsv4 "$host" | sed -n '1s/ .*//p')" = 127.0.0.1 ]; then only=,NoInAddrAny,NoCtldInAddrAny; fi
  mkdir -p "$dir/state" "$dir/log"
  for ((i = 1; i <= nodes; i++)); do mkdir -p "$dir/spool/n$i"; done
  chmod 755 "$dir" "$dir/log"
  (umask 377 && head -c 128 /dev/urandom > "$dir/munge.key")
  : > "$dir/plugstack.conf"
  cat > "$SLURM_CONF" << CONF
ClusterName=reprobe
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge.socket,cred_expire=5
CommunicationParameters=NoAddrCache$only
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/%n.log
PlugStackConfig=$dir/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$dir/log/jobcomp.txt
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
MpiDefault=none
PropagateResourceLimits=NONE
ReturnToService=2
SlurmdTimeout=5
KillWait=2
MailProg=/bin/true
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + nodes)) CPUs=$cpus RealMemory=8192 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=60 State=UP PriorityTier=2 PreemptMode=OFF
CONF
  if [ "$limits" = cgroup ]; then
    sed -i 's/^ProctrackType=.*/ProctrackType=proctrack\/cgroup/; s/^TaskPlugin=.*/TaskPlugin=task\/cgroup/' "$SLURM_CONF"
    printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup CgroupAutomount=no ConstrainRAMSpace=yes > "$dir/cgroup.conf"
  fi
  munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/log/munged.log" --seed-file="$dir/munged.seed" 2>> "$dir/log/munged.log"
  slurmctld
  for ((i = 1; i <= nodes; i++)); do slurmd -N "n$i"; done
  for ((i = 0; i < 100; i++)); do
    [ "$(sinfo -h -N -p main -o %t 2> /dev/null | grep -cx idle)" = "$nodes" ] && return
    sleep 0.1
  done
  echo "Slurm did not come up within 10 s; see $dir/log" >&2
  return 1
}

# What a node runs. slurmstepd is no child of slurmd's and bears no node's name, but what it starts has both in its environment.
node_pids() {
  local p parent
  cat "$dir/$1.pid" 2> /dev/null || true
  for p in /proc/[0-9]*; do
    [ "$({ tr '\0' '\n' < "$p/environ" | grep -Fxc -e "SLURM_CONF=$SLURM_CONF" -e "SLURMD_NODENAME=$1"; } 2> /dev/null)" = 2 ] || continue
    parent=$(sed -n 's/^PPid:\t//p' "$p/status" 2> /dev/null) || continue
    [ "$(cat "/proc/$parent/comm" 2> /dev/null)" = slurmstepd ] && echo "$parent"
    echo "${p#/proc/}"
  done
}

kill_all() { local p; for p in "$@"; do kill "$signal" "$p" 2> /dev/null || true; done; }

await_end() { # of each process, which may write until then; after 20 s it is killed
  local p i
  for p in "$@"; do
    for ((i = 0; i < 200; i++)); do
      case $(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$p/status" 2> /dev/null) in '' | Z) continue 2 ;; esac
      sleep 0.1
    done
    kill -KILL "$p" 2> /dev/null || true
  done
}

signal=-KILL
case $1 in
  up) shift 2 && up "$@" ;;
  kill) kill_all $(node_pids "$3") && rm -f "$dir/$3.pid" ;;
  lose) kill_all $(cat "$dir/$3.pid") && rm -f "$dir/$3.pid" ;;
  revive) slurmd -N "$3" ;;
  down)
    all=
    for node in $(sed -n 's/^NodeName=n\[1-\([0-9]*\)\].*/\1/p' "$SLURM_CONF" | xargs seq -f n%g 1); do
      pids=$(node_pids "$node" || true)
      kill_all $pids
      all="$all $pids"
    done
    signal=-TERM
    pids=$(cat "$dir/slurmctld.pid" "$dir/munged.pid" 2> /dev/null || true)
    kill_all $pids
    await_end $all $pids # its folder may be deleted now
    if [ -f "$dir/cgroup.conf" ]; then # nodes leave theirs, empty
      find /sys/fs/cgroup/*/slurm_n[0-9]* -depth -type d -exec rmdir {} + 2> /dev/null || true
    fi ;;
  *) sed -n '2,8s/^# *//p' "$0" >&2 && exit 2 ;;
esac
