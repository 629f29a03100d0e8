#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs on CPU cores and GPUs until the time is up, and runs of md that are killed and go on from their checkpoints.
#   scripts/soak.sh MINUTES [SEED]
# Prints one line of counts at the end; exits 1 if anything was lost, done twice or wrong. BALLAST_SOAK_BUILD names the build
# (build/host-release), BALLAST_SOAK_DEVICES what is used beside CPU cores (the GPUs, where the build has CUDA).
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

case ${1:-} in -h | --help) print_help; exit ;; esac
minutes=${1:-} seed=${2:-1}
if ! [[ $minutes =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ ]]; then
  echo "soak.sh: MINUTES is '$minutes' and SEED '$seed'; legal are whole numbers, MINUTES from 1" >&2
  exit 2
fi
build=${BALLAST_SOAK_BUILD:-build/host-release}
for program in "$build/tests/soak/ballast_soak" "$build/ballast"; do
  [[ -x $program ]] || { echo "soak.sh: $program is not there; build ballast_soak, ballast_command and ballast_md_command" >&2; exit 2; }
done

scratch=$(mktemp -d)
md_pid=""
clean_up() {
  [[ -z $md_pid ]] || kill -9 "$md_pid" 2>/dev/null
  rm -rf "$scratch"
}
trap clean_up EXIT

devices=${BALLAST_SOAK_DEVICES:-}
if [[ -z $devices ]] && grep -q '^CMAKE_CUDA_COMPILER:' "$build/CMakeCache.txt" 2>/dev/null && (($(count_gpus) > 0)); then devices=cuda; fi

RANDOM=$((seed % 32768))
steps=600 kills=0 rounds=0 wrong=0

# One device, so that each run gives the same bits.
md() { "$build/ballast" md --solutions TQ --devices host:1 "$@"; }
begin=(--atoms 512 --potential force-shifted --temperature 100)

first_step() { md --restart "$1" --steps 0 --json 2>/dev/null | sed -n 's/.*"first_step": *\([0-9]*\).*/\1/p'; }

# start ARGUMENT...: md in the background, with a checkpoint every 10 steps.
start() {
  "$build/ballast" md --solutions TQ --devices host:1 --checkpoint "$scratch/killed" --checkpoint-every 10 "$@" >"$scratch/log" 2>&1 &
  md_pid=$!
}

# kill_sometime: kills what start() began, after up to 0.4 s; counts if it still ran.
kill_sometime() {
  sleep "0.$(printf '%03d' $((RANDOM % 400)))"
  kill -9 "$md_pid" 2>/dev/null && kills=$((kills + 1))
  wait "$md_pid" 2>/dev/null
  md_pid=""
}

# go_on: arguments for the steps that are left after the last checkpoint, in `left`; fails if it cannot be read.
go_on() {
  local at=0
  left=("${begin[@]}" --steps "$steps")
  [[ -f $scratch/killed ]] || return 0
  at=$(first_step "$scratch/killed")
  [[ -n $at ]] || return 1
  left=(--restart "$scratch/killed" --steps $((steps - at)))
  ((at < steps))
}

fail() {
  echo "soak.sh: md, $1" >&2
  wrong=$((wrong + 1))
}

# A run that is killed some times and then left alone ends as one that nobody killed.
kill_and_compare() {
  local i
  rm -f "$scratch/killed"
  rounds=$((rounds + 1))
  for ((i = 0; i < 4; ++i)); do
    go_on || break
    start "${left[@]}"
    kill_sometime
  done
  if go_on; then
    start "${left[@]}"
    wait "$md_pid" || { cat "$scratch/log" >&2; fail "a run did not go on"; }
    md_pid=""
  elif [[ -z $(first_step "$scratch/killed") ]]; then
    fail "a checkpoint of a killed run is not read"
    return
  fi
  cmp -s "$scratch/whole" "$scratch/killed" || fail "a run that was killed and went on ends otherwise"
}

# Five minutes more than it is to take are a hang, which must not become that of who waits for this.
timeout -k 10 $((60 * minutes + 300)) "$build/tests/soak/ballast_soak" --seconds $((60 * minutes)) --seed "$seed" ${devices:+--devices "$devices"} >"$scratch/counts" 2>&1 &
soak_pid=$!
trap 'kill "$soak_pid" 2>/dev/null; clean_up' EXIT
md "${begin[@]}" --steps "$steps" --checkpoint "$scratch/whole" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "an unbroken run failed"; }
# A round for each minute; not more, since it takes a core from the others.
for ((round = 0; round < minutes && wrong == 0; ++round)); do
  kill_and_compare
  while ((SECONDS < 60 * (round + 1))) && kill -0 "$soak_pid" 2>/dev/null; do sleep 1; done
done
wait "$soak_pid"
found=$?
trap clean_up EXIT
grep -v '^ballast_soak: scenarios' "$scratch/counts"
counts=$(sed -n 's/^ballast_soak: \(scenarios .*\)/\1/p' "$scratch/counts")
echo "soak.sh, seed $seed, $minutes min: ${counts:-no counts}; md: $kills kills in $rounds runs, $wrong wrong"
((found == 0 && wrong == 0))
