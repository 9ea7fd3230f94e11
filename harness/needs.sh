#!/usr/bin/env bash
# What some tests, and the virtual machine, want beyond a JDK and Maven: the only list of it, with Debian's packages, and the
# only rule. What is missing is installed where that is allowed (root, apt-get, REPROBE_INSTALL is not "no"); else the
# missing packages are printed.
#
#   needs.sh install           all that is missing and may be installed; always ends with 0
#   needs.sh check NAME        0 when it is here, else 3 and one line with the tests skipped and the packages to install
#
# vm.sh sources it for its functions.
set -euo pipefail

needs_folder=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
needs_names=(rdma-core c-compiler browser network-namespaces memcached memcaslap perftest slurm ssh vm)

# Debian's packages of need $1.
needs_packages() {
  local rdma="libibverbs1 librdmacm1 ibverbs-providers"
  case $1 in
    rdma-core) echo "$rdma" ;;
    c-compiler) echo "gcc libc6-dev libibverbs-dev librdmacm-dev" ;;
    browser) echo "chromium" ;;
    network-namespaces) echo "iproute2 util-linux" ;;
    memcached) echo "memcached" ;;
    memcaslap) echo "memcached libmemcached-tools" ;;
    perftest) echo "perftest" ;;
    ssh) echo "dropbear-bin openssh-client iproute2 util-linux" ;; # an ssh server that only a test starts
    slurm) echo "slurmctld slurmd slurm-client munge" ;;
    vm) echo "$rdma rdma-core iproute2 qemu-system-x86 busybox-static cpio kmod" ;;
  esac
}

# What is not tested without need $1.
needs_subject() {
  case $1 in
    rdma-core) echo "loading of rdma-core's libraries" ;;
    c-compiler) echo "the layout of rdma-core's structures against a C compiler's" ;;
    browser) echo "the report in a browser" ;;
    memcached) echo "the system memcached" ;;
    memcaslap) echo "memcached under its own load generator, as a command" ;;
    perftest) echo "perftest as a command, in the virtual machine" ;;
    ssh) echo "runs over several hosts by ssh" ;;
    slurm) echo "runs over several nodes, with a Slurm of this machine's own" ;;
    network-namespaces) echo "a link that is cut, between network namespaces that root may make" ;;
    vm) echo "verbs, on software RDMA in a virtual machine" ;;
  esac
}

needs_library() {
  [ -n "$(find /usr/lib /usr/lib64 /lib64 -maxdepth 3 -name "$1" -print -quit 2>/dev/null)" ]
}

# True when need $1 is here.
needs_here() {
  case $1 in
    rdma-core) needs_library libibverbs.so.1 && needs_library librdmacm.so.1 ;;
    c-compiler) command -v cc && [ -e /usr/include/infiniband/verbs.h ] && [ -e /usr/include/rdma/rdma_cma.h ] &&
      [ -e /usr/include/stdio.h ] ;;
    browser) command -v chromium || command -v chromium-browser ;;
    memcached) command -v memcached ;;
    memcaslap) needs_here memcached && command -v memcaslap ;;
    perftest) command -v ib_read_lat && command -v stdbuf ;;
    slurm) command -v sbatch && { command -v slurmctld || [ -x /usr/sbin/slurmctld ]; } &&
      { command -v slurmd || [ -x /usr/sbin/slurmd ]; } && { command -v munged || [ -x /usr/sbin/munged ]; } ;;
    ssh) needs_here network-namespaces && command -v dropbear && command -v dropbearkey && command -v ssh && command -v ssh-keygen ;;
    network-namespaces) command -v nsenter && unshare --net ip link add here type veth peer name there ;;
    vm) needs_here rdma-core && command -v qemu-system-x86_64 && command -v busybox && command -v cpio &&
      { command -v depmod || [ -x /sbin/depmod ]; } && { command -v rdma || [ -x /sbin/rdma ] || [ -x /usr/sbin/rdma ]; } &&
      needs_library 'librxe*' ;;
  esac
} >/dev/null 2>&1

needs_may_install() {
  [ "${REPROBE_INSTALL:-yes}" != no ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1
}

# needs_install PACKAGE...: false, with apt-get's last words, when that fails.
needs_install() {
  local log failed=no
  log=$(mktemp)
  if [ -z "${needs_updated:-}" ]; then
    apt-get -qq -o DPkg::Lock::Timeout=300 update >"$log" 2>&1 || true # an old index may do
    needs_updated=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@" \
    >>"$log" 2>&1 </dev/null || failed=yes
  if [ "$failed" = yes ]; then tail -n 5 "$log" >&2; fi
  rm -f "$log"
  [ "$failed" = no ]
}

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

case "${1:-}" in
  install)
    for need in "${needs_names[@]}"; do
      if needs_here "$need" || ! needs_may_install; then continue; fi
      read -ra packages <<<"$(needs_packages "$need")"
      echo "installing what tests need: ${packages[*]} ..." >&2
      needs_install "${packages[@]}" || echo "this could not be installed: ${packages[*]}" >&2
    done
    ;;
  check)
    case " ${needs_names[*]} " in
      *" ${2:-} "*) ;;
      *) echo "needs.sh: there is no need \"${2:-}\", only ${needs_names[*]}" >&2; exit 2 ;;
    esac
    if [ "$2" = vm ]; then # needs a kernel as well
      why=$(bash "$needs_folder/vm/vm.sh" --check 2>&1) && exit 0
      echo "$(needs_subject vm). ${why##*$'\n'}"
      exit 3
    fi
    needs_here "$2" && exit 0
    echo "$(needs_subject "$2"). On Debian, as root: apt-get install $(needs_packages "$2")"
    exit 3
    ;;
  *)
    echo "needs.sh: install, or check NAME" >&2
    exit 2
    ;;
esac
