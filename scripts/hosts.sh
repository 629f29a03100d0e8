#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program as ranks on several hosts that this machine plays, each with a network of its own, connected by a switch:
#   scripts/hosts.sh HOSTS RATE [arguments of mpirun...] PROGRAM [arguments...]
#   scripts/hosts.sh 3 1gbit -np 6 build/host-release/ballast-cluster --devices host:1
# RATE is what a host sends and receives at most, as tc writes it (100mbit), or none. Needs root, Open MPI and iproute2;
# without them it says so and exits 77. All hosts share this machine's cores, and its clock.
set -euo pipefail
skip() { echo "hosts.sh: $1"; exit 77; }

# For mpirun, in place of ssh: agent HOST COMMAND...
if [[ ${1:-} == --agent ]]; then
  host=$2
  shift 2
  exec ip netns exec "$host" unshare --uts sh -c "hostname $host && $*"
fi

(($# >= 3)) && [[ $1 =~ ^[1-9][0-9]?$ ]] || { echo "usage: hosts.sh HOSTS RATE [arguments of mpirun...] PROGRAM..." >&2; exit 2; }
((EUID == 0)) || skip "only root can play hosts"
for need in mpirun ip tc unshare; do command -v "$need" >/dev/null || skip "$need was not found"; done
self=$(realpath "$0")
# In a network and with mounts of its own, which are gone with the last process.
if [[ ${BALLAST_PLAYS_HOSTS:-} != "$$" ]]; then
  unshare --net --mount true 2>/dev/null || skip "this kernel, or container, lets nobody play hosts"
  exec unshare --net --mount env --split-string="BALLAST_PLAYS_HOSTS=$$" "$self" "$@"
fi
hosts=$1 rate=$2
shift 2

mkdir -p /run/netns
mount -t tmpfs tmpfs /run/netns
ip link set lo up
ip link add switch type bridge
ip addr add 10.99.0.254/24 dev switch
ip link set switch up
# limit [-n HOST] INTERFACE
limit() { [[ $rate == none ]] || tc "${@:1:$#-1}" qdisc add dev "${!#}" root tbf rate "$rate" burst 128kb latency 100ms; }
list=""
for ((i = 1; i <= hosts; ++i)); do
  ip netns add "host$i"
  ip link add "port$i" type veth peer name eth0 netns "host$i"
  ip link set "port$i" master switch up
  ip -n "host$i" addr add "10.99.0.$i/24" dev eth0
  ip -n "host$i" link set lo up
  ip -n "host$i" link set eth0 up
  limit -n "host$i" eth0
  limit "port$i"
  list+="${list:+,}host$i:64"
done

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec mpirun --mca plm_rsh_agent "$self --agent" --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include 10.99.0.0/24 \
  --mca btl_tcp_if_include 10.99.0.0/24 --host "$list" --map-by node --oversubscribe --bind-to none \
  --mca mpi_yield_when_idle 1 "$@"
