#!/usr/bin/env bash
# Boots Debian's stock kernel with software RDMA under QEMU and runs a command inside. The guest reads this machine's files.
# Its writes are discarded, except in the folders named by --share.
set -euo pipefail

here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../needs.sh"
cache=${REPROBE_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/var/tmp}/.cache}/reprobe/vm}
limit_s=${REPROBE_VM_LIMIT_S:-600}
memory_mib=${REPROBE_VM_MEMORY_MIB:-4096}
cpus=${REPROBE_VM_CPUS:-2}
modules=(virtio_pci virtio_console virtio_net 9pnet_virtio 9p overlay ib_uverbs rdma_ucm crc32_generic rdma_rxe sch_netem)
shares=()
peer=
extra=()

usage() {
  cat <<'USAGE'
Usage: ./run.sh vm [--limit SECONDS] [--share FOLDER]... [--peer SCRIPT] [--with PACKAGE]... COMMAND [ARGUMENT...]
       ./run.sh vm --check

Runs COMMAND in a virtual machine with software RDMA, in the current folder, and returns its exit code.

  --limit SECONDS  time limit of the machine (default 600, or REPROBE_VM_LIMIT_S)
  --share FOLDER   folder in which the guest's writes persist
  --peer SCRIPT    start a second machine, connected to the first, that runs SCRIPT with bash until COMMAND ends
  --with PACKAGE   additional package to install for the command
  --check          only check that a machine can be started: exit code 0, or 3 with the reason

In the guest, REPROBE_VM_ADDRESS is its own address on the RDMA device rxe0 and REPROBE_VM_PEER that of the other machine.
Environment: REPROBE_VM_ACCEL=kvm|tcg, REPROBE_VM_MEMORY_MIB, REPROBE_VM_CPUS, REPROBE_VM_KERNEL=FILE.deb,
REPROBE_VM_CACHE=FOLDER, REPROBE_INSTALL=no.
Exit codes: the command's; 3 no machine can be started here; 124 time limit exceeded; 125 the guest failed.
USAGE
}

# Exits with a message about invalid input.
wrong() {
  printf 'vm: %s\n' "$*" >&2
  exit 2
}

# number NAME VALUE: requires a number from 1 on.
number() {
  [[ $2 =~ ^[1-9][0-9]*$ ]] || wrong "$1 takes a number from 1 on, not \"$2\"."
}

# Exits with the reason why no machine can be started.
refuse() {
  printf 'No virtual machine: %s\n' "$*" >&2
  exit 3
}

installed() {
  needs_here vm || return 1
  local package
  for package in ${extra[@]+"${extra[@]}"}; do
    dpkg -s "$package" >/dev/null 2>&1 || return 1
  done
}

need_packages() {
  installed && return 0
  local packages
  read -ra packages <<<"$(needs_packages vm) ${extra[*]-}"
  [ "$(uname -m)" = x86_64 ] || refuse "only x86-64 machines are supported, this is $(uname -m)."
  needs_may_install || refuse "packages are missing. On Debian, as root: apt-get install ${packages[*]}"
  echo "installing the packages of the virtual machine ..." >&2
  needs_install "${packages[@]}" || refuse "these packages could not be installed: ${packages[*]}"
  installed || refuse "packages are missing even after apt-get install ${packages[*]}"
}

# Finds the kernel's package, unpacks the kernel and the required modules, and packs an initial RAM disk.
# Sets kernel and ramdisk.
need_kernel() {
  PATH=$PATH:/usr/sbin:/sbin
  local work package version deb stamp
  stamp=$({ cat "$here/init"; printf '%s ' "${modules[@]}" "${REPROBE_VM_KERNEL:-}"; } | sha256sum | cut -c1-12)
  kernel=$cache/$stamp/vmlinuz
  ramdisk=$cache/$stamp/initrd
  [ -f "$kernel" ] && [ -f "$ramdisk" ] && return 0
  command -v dpkg-deb >/dev/null 2>&1 || refuse "dpkg-deb is missing: the kernel is taken from Debian's package."
  mkdir -p "$cache" || refuse "$cache can't be made: name another folder with REPROBE_VM_CACHE."
  work=$(mktemp -d "$cache/unpack.XXXXXX")
  scratch+=("$work")
  deb=${REPROBE_VM_KERNEL:-}
  if [ -z "$deb" ]; then
    package=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*-amd64\)$/\1/p' | head -n 1)
    if [ -z "$package" ] && needs_may_install; then
      apt-get -qq update >/dev/null 2>&1 || true
      package=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*-amd64\)$/\1/p' | head -n 1)
    fi
    [ -n "$package" ] || refuse "apt has no package linux-image-amd64: run apt-get update, or name one with REPROBE_VM_KERNEL=FILE.deb."
    echo "fetching the package $package (70 MB; not installed) ..." >&2
    if ! (cd "$work" && apt-get -qq download "$package") >"$work/log" 2>&1; then
      (needs_may_install && apt-get -qq update && cd "$work" && apt-get -qq download "$package") >"$work/log" 2>&1 ||
        refuse "the package $package could not be fetched: $(tail -n 1 "$work/log")"
    fi
    deb=$(ls "$work"/*.deb)
  fi
  [ -f "$deb" ] || refuse "there is no kernel package $deb."
  mkdir "$work/root" "$work/ram"
  dpkg-deb -x "$deb" "$work/root"
  version=$(ls "$work/root/lib/modules" | head -n 1)
  depmod -b "$work/root" "$version"
  mkdir -p "$work/ram/bin" "$work/ram/modules"
  local module file number=100
  for module in "${modules[@]}"; do
    modprobe -d "$work/root" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++' >"$work/order"
  [ -s "$work/order" ] || refuse "the kernel package has no software RDMA (the cloud kernel has none; linux-image-amd64 does)."
  while read -r file; do
    cp "$file" "$work/ram/modules/$number-$(basename "$file")"
    number=$((number + 1))
  done <"$work/order"
  cp "$(command -v busybox)" "$work/ram/bin/busybox"
  cp "$here/init" "$work/ram/init"
  chmod 755 "$work/ram/init"
  (cd "$work/ram" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd"
  mkdir "$work/new"
  cp "$work/root/boot/vmlinuz-$version" "$work/new/vmlinuz"
  mv "$work/initrd" "$work/new/initrd"
  echo "$version" >"$work/new/version"
  mv -T "$work/new" "$cache/$stamp" 2>/dev/null || [ -f "$ramdisk" ] || refuse "$cache/$stamp could not be written."
  rm -rf "$work"
}

# Hardware virtualisation, tested once per boot: nested machines offer it and then hang.
accelerator() {
  if [ -n "${REPROBE_VM_ACCEL:-}" ]; then
    printf '%s' "$REPROBE_VM_ACCEL"
    return 0
  fi
  if [ ! -r /dev/kvm ] || [ ! -w /dev/kvm ]; then
    printf tcg
    return 0
  fi
  local answer
  answer=$cache/kvm-$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo unknown)
  if [ ! -f "$answer" ]; then
    rm -f "$cache"/kvm-*
    if timeout -k 1 10 qemu-system-x86_64 -accel kvm -cpu host -smp 2 -m 512M -nodefaults -no-user-config -display none \
      -no-reboot -kernel "$kernel" -initrd "$ramdisk" -append "console=ttyS0 panic=-1 reprobe.probe" \
      -chardev stdio,id=c,signal=off -serial chardev:c </dev/null 2>/dev/null | grep -q reprobe-probe-fine; then
      echo kvm >"$answer"
    else
      echo tcg >"$answer"
    fi
  fi
  cat "$answer"
}

# start NUMBER SCRIPT OUTPUT: QEMU for one machine, in the foreground.
start() {
  local number=$1 run=$2 output=$3 share index=0
  local acceleration=(-accel kvm -cpu host) clock=
  if [ "$accel" = tcg ]; then
    acceleration=(-accel "tcg,thread=multi" -cpu max)
    # By default the kernel does not use an emulated time stamp counter, though all processors share one; another clock takes
    # several microseconds per reading.
    # The kernel tests the timer by waiting briefly for its ticks; on a busy host they are late, and it panics.
    clock="tsc=reliable clocksource=tsc no_timer_check"
  fi
  local machine=("${acceleration[@]}" -smp "$cpus" -m "${memory_mib}M" -nodefaults -no-user-config -display none -no-reboot
    -kernel "$kernel" -initrd "$ramdisk"
    -append "console=ttyS0 panic=-1 quiet mitigations=off $clock reprobe.number=$number reprobe.shares=${#shares[@]}"
    -chardev "file,id=log,path=$run/kernel.log" -serial chardev:log
    -device virtio-serial-pci -chardev "$output" -device virtconsole,chardev=out
    -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=root,mount_tag=root
    -fsdev "local,id=run,path=$run,security_model=none" -device virtio-9p-pci,fsdev=run,mount_tag=run)
  for share in ${shares[@]+"${shares[@]}"}; do
    machine+=(-fsdev "local,id=share$index,path=$share,security_model=none,multidevs=remap"
      -device "virtio-9p-pci,fsdev=share$index,mount_tag=share$index")
    index=$((index + 1))
  done
  if [ -n "$peer" ]; then
    machine+=(-netdev "dgram,id=net,local.type=unix,local.path=$scratch_run/net$number,remote.type=unix,remote.path=$scratch_run/net$((3 - number))"
      -device "virtio-net-pci,netdev=net,mac=52:54:00:00:00:0$number")
  else
    machine+=(-netdev user,id=net,restrict=on -device virtio-net-pci,netdev=net)
  fi
  exec timeout --foreground -k 5 "$limit_s" qemu-system-x86_64 "${machine[@]}"
}

# prepare RUN COMMAND...: creates the folder through which a machine gets its command and returns its exit code.
prepare() {
  local run=$1 share index=0
  shift
  mkdir -p "$run"
  {
    printf 'cd %q || exit 125\n' "$PWD"
    printf 'export HOME=%q PATH=%q JAVA_HOME=%q\n' "${HOME:-/}" "$PATH:/usr/sbin:/sbin" "${JAVA_HOME:-}"
    printf '%q ' "$@"
    printf '\n'
  } >"$run/command"
  for share in ${shares[@]+"${shares[@]}"}; do
    printf '%s\n' "$share" >"$run/share$index"
    index=$((index + 1))
  done
}

check=
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      usage
      exit 0
      ;;
    --limit)
      limit_s=${2:-}
      number --limit "$limit_s"
      shift 2
      ;;
    --share)
      [ -n "${2:-}" ] || wrong "--share takes a folder."
      mkdir -p "$2"
      shares+=("$(CDPATH='' cd -- "$2" && pwd -P)")
      shift 2
      ;;
    --peer)
      peer=${2:-}
      [ -f "$peer" ] || wrong "--peer takes a script; there is none \"$peer\"."
      peer=$(CDPATH='' cd -- "$(dirname -- "$peer")" && pwd -P)/$(basename -- "$peer")
      shift 2
      ;;
    --with)
      [ -n "${2:-}" ] || wrong "--with takes a package."
      extra+=("$2")
      shift 2
      ;;
    --check)
      check=yes
      shift
      ;;
    --)
      shift
      break
      ;;
    -*)
      wrong "there is no option $1; --help lists them."
      ;;
    *) break ;;
  esac
done
number REPROBE_VM_LIMIT_S "$limit_s"
number REPROBE_VM_MEMORY_MIB "$memory_mib"
number REPROBE_VM_CPUS "$cpus"
[ -n "$check" ] || [ $# -gt 0 ] || { usage >&2; exit 2; }

scratch=()
peer_pid=
clean() {
  if [ -n "$peer_pid" ]; then kill "$peer_pid" 2>/dev/null || true; fi
  rm -rf ${scratch[@]+"${scratch[@]}"}
}
trap clean EXIT
need_packages
need_kernel
[ -z "$check" ] || exit 0
accel=$(accelerator)
scratch_run=$(mktemp -d "${TMPDIR:-/tmp}/reprobe-vm.XXXXXX")
scratch+=("$scratch_run")

run=$scratch_run/1
prepare "$run" "$@"
if [ -n "$peer" ]; then
  prepare "$scratch_run/2" bash "$peer"
  (start 2 "$scratch_run/2" "file,id=out,path=$scratch_run/2/output") </dev/null >"$scratch_run/2/qemu.log" 2>&1 &
  peer_pid=$!
fi
status=0
(start 1 "$run" stdio,id=out,signal=off) </dev/null || status=$?
if [ -f "$run/exit" ]; then
  code=$(cat "$run/exit")
  if [ "$code" != 0 ] && [ -n "$peer" ]; then
    echo "Output of the other machine:" >&2
    tail -n 40 "$scratch_run/2/output" "$scratch_run/2/kernel.log" >&2 2>/dev/null || true
  fi
  exit "$code"
fi
case $status in
  124 | 137)
    echo "The virtual machine did not finish within $limit_s s and was stopped. End of its kernel log:" >&2
    status=124
    ;;
  130 | 143) exit 130 ;;
  *)
    echo "The virtual machine failed. End of its kernel log:" >&2
    status=125
    ;;
esac
tail -n 15 "$run/kernel.log" >&2 2>/dev/null || true
if [ -n "$peer" ]; then
  echo "Output of the other machine:" >&2
  tail -n 40 "$scratch_run/2/output" "$scratch_run/2/kernel.log" >&2 2>/dev/null || true
fi
exit "$status"
