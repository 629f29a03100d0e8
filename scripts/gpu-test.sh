#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every GPU test of a folder of built programs (as scripts/gpu-pack.sh makes it) on all GPUs of this machine,
# those of jobs on unequal devices too, those for several devices on parts of a GPU that is alone, some of them under
# compute-sanitizer, and short molecular dynamics on one and on two GPUs.
#   scripts/gpu-test.sh [programs] [output]
# Beside a folder `programs`, the tests of `programs`-ptx run too: the same compiled to PTX alone
# (scripts/gpu-pack.sh --architectures 75-virtual), which the driver compiles for this machine's GPUs.
# programs: default build/gpu. output: default $OUT, else bench/results/<count>x-<gpu>; gets record.json (described
# in bench/SCHEMA.md), summary.txt and the logs. The exit status is 0 if everything passed. Variables:
#   BALLAST_GPU_FILTER      gtest filter of the tests, default all
#   BALLAST_SANITIZE_FILTER gtest filter of the tests under compute-sanitizer, default all but those in
#                           tests/compute_sanitizer/left_out.tsv; "none" leaves it out
#   BALLAST_GPU_ATOMS       atoms of the molecular dynamics, default 524288
#   BALLAST_GPU_PATIENCE    seconds after which one program is stopped, default 240
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/toolchain.sh"

programs=${1:-$root/build/gpu}
programs=${programs%/}
gpus=$(count_gpus)
((gpus > 0)) || { echo "gpu-test.sh: nvidia-smi shows no GPU" >&2; exit 1; }
ls "$programs"/ballast_test_* >/dev/null 2>&1 || { echo "gpu-test.sh: no ballast_test_* in $programs" >&2; exit 1; }
gpu_name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)
machine=${gpus}x-$(tr -cs 'A-Za-z0-9\n' '-' <<<"$gpu_name" | tr 'A-Z' 'a-z')
output=${2:-${OUT:-$root/bench/results/$machine}}
time_limit=${BALLAST_GPU_PATIENCE:-240}
atoms=${BALLAST_GPU_ATOMS:-524288}
mkdir -p "$output" || exit 1
rm -f "$output"/{tests,sanitizer,command}.log "$output"/summary.txt

checks=()
rows=()
runs=()
failed=0

# check KIND NAME LOG COMMAND...: runs the command with its output appended to LOG, and records how it ended.
check() {
  local kind=$1 name=$2 log=$output/$3 status=0 start=${EPOCHREALTIME/./} seconds
  shift 3
  printf '\n== %s %s: %s\n' "$kind" "$name" "$*" >>"$log"
  timeout -k 10 "$time_limit" "$@" >>"$log" 2>&1 || status=$?
  seconds=$(awk -v us=$((${EPOCHREALTIME/./} - start)) 'BEGIN { printf "%.3f", us / 1e6 }')
  ((status == 0)) || failed=$((failed + 1))
  checks+=("$(printf '{"kind": "%s", "name": "%s", "exit": %d, "seconds": %s}' "$kind" "$name" $status "$seconds")")
  rows+=("$(printf '%-10s %-28s %8s s  %s' "$kind" "$name" "$seconds" "$(word_for $status)")")
  echo "${rows[-1]}"
  return $status
}

word_for() {
  case $1 in
    0) echo passed ;;
    124 | 137) echo "STOPPED after $time_limit s" ;;
    *) echo "FAILED, exit $1" ;;
  esac
}

# run_tests FOLDER KIND KIND_ALONE: all test programs of the folder; the kinds are those of their checks.
run_tests() {
  local program
  for program in "$1"/ballast_test_*; do
    check "$2" "$(basename "$program")" tests.log "$program" \
      --gtest_filter="${BALLAST_GPU_FILTER:-*}"
    run_alone "$program" "$3"
  done
}

# run_alone PROGRAM KIND: tests that lose the GPU to their process are disabled; each runs here in a process of its own.
run_alone() {
  local program=$1 kind=$2 suite="" line
  while IFS= read -r -u 3 line; do
    case $line in
      [A-Za-z]*.) suite=$line ;;
      "  DISABLED_"*_on_a_gpu_*)
        check "$kind" "$(basename "$program")" tests.log "$program" --gtest_also_run_disabled_tests \
          --gtest_filter="$suite${line#  }"
        ;;
    esac
  done 3< <("$program" --gtest_list_tests --gtest_filter='*DISABLED_*_on_a_gpu_*' 2>/dev/null)
}

# Translated programs on a GPU, and jobs also on unequal devices: a GPU beside CPU cores, and parts of two GPUs.
run_jobs_on_unequal_devices() {
  local devices=cuda:0,host:2 program
  [[ -x $programs/ballast_test_mesi_programs ]] &&
    check jobs "ballast_test_mesi_programs on cuda:0" tests.log env BALLAST_TEST_DEVICES=cuda:0 \
    "$programs/ballast_test_mesi_programs" --gtest_filter='translated*'
  if ((gpus > 1)); then devices+=" cuda:0@104,cuda:1@64"; fi
  for devices in $devices; do
    for program in "$programs"/ballast_test_{job,matmul,ep,hotspot,mesi,mesi_programs}; do
      [[ -x $program ]] || continue
      check jobs "$(basename "$program") on $devices" tests.log env BALLAST_TEST_DEVICES="$devices" "$program" \
        --gtest_filter="${BALLAST_GPU_FILTER:-*}"
    done
  done
}

# Where there is one GPU, the suites for several devices run on parts of it. Its hardware connections are shared by the
# streams of all parts, hence as many as there can be. It shows no scopes between GPUs, peer access or faults of one.
run_on_parts_of_one_gpu() {
  local devices program
  ((gpus == 1)) || return
  for devices in cuda:0@64,cuda:0@64 cuda:0@32,cuda:0@96; do
    if ! "$programs/ballast" devices --devices "$devices" >>"$output/command.log" 2>&1; then
      rows+=("parts      not run on $devices: command.log says why")
      continue
    fi
    for program in "$programs"/ballast_test_{device,queue,job,launch,mesi}; do
      [[ -x $program ]] || continue
      check parts "$(basename "$program") on $devices" tests.log env BALLAST_TEST_DEVICES="$devices" \
        CUDA_DEVICE_MAX_CONNECTIONS=32 "$program" --gtest_filter="${BALLAST_GPU_FILTER:-*}"
    done
  done
}

# sanitizer_filter ROOM TOOL
sanitizer_filter() {
  if [[ -n ${BALLAST_SANITIZE_FILTER:-} ]]; then echo "$BALLAST_SANITIZE_FILTER"; return; fi
  bash "$root/tests/compute_sanitizer/filter.sh" "$root/tests/compute_sanitizer/left_out.tsv" "$1" "$2"
}

run_sanitizer() {
  local program tool forces quiet room filter
  [[ ${BALLAST_SANITIZE_FILTER:-} == none ]] && return
  if ! command -v compute-sanitizer >/dev/null; then
    rows+=("sanitizer  not run: there is no compute-sanitizer in PATH")
    return
  fi
  if compute-sanitizer "$programs/ballast_test_device" --gtest_filter='launches.run_every*' 2>&1 |
    grep -q 'Device not supported'; then
    rows+=("sanitizer  not run: compute-sanitizer does not support this machine's GPU")
    return
  fi
  # Few resident blocks, since idle ones poll; of md the plain launches of the same kernels.
  export BALLAST_TEST_BLOCKS=5 BALLAST_TEST_TASKS=1000
  for tool in memcheck racecheck; do
    # Calls that fail as the tests expect (no memory, peer access made before) are no errors of memory.
    quiet=()
    [[ $tool == memcheck ]] && quiet=(--report-api-errors no)
    for room in device resident pool queue launch job matmul hotspot mesi; do
      program=$programs/ballast_test_$room
      [[ -x $program ]] || continue
      filter=$(sanitizer_filter "$room" $tool) || exit 1
      check $tool "$(basename "$program")" sanitizer.log compute-sanitizer --tool $tool --error-exitcode 99 "${quiet[@]}" \
        "$program" --gtest_filter="$filter"
    done
    [[ -x $programs/ballast ]] || continue
    for forces in cells all-pairs; do
      check $tool "ballast md, $forces" sanitizer.log compute-sanitizer --tool $tool --error-exitcode 99 "${quiet[@]}" \
        "$programs/ballast" md --atoms 1024 --forces $forces --solutions S1 --steps 2 --devices cuda:0
    done
  done
  unset BALLAST_TEST_BLOCKS BALLAST_TEST_TASKS
}

# dynamics DEVICES: a short run whose JSON object goes into the record.
dynamics() {
  local devices=$1 json
  json=$(mktemp)
  if check md "$devices" command.log bash -c '"$0" "${@:2}" --json >"$1"' "$programs/ballast" "$json" \
    md --system gaussian --atoms "$atoms" --cutoff 12 --repeat 7 --devices "$devices" --record "$output/md"; then
    runs+=("$(cat "$json")")
  fi
  cat "$json" >>"$output/command.log"
  rm -f "$json"
}

run_command() {
  if [[ ! -x $programs/ballast ]]; then
    rows+=("command    not run: there is no ballast in $programs")
    failed=$((failed + 1))
    return
  fi
  check devices all command.log "$programs/ballast" devices
  dynamics cuda:0
  if ((gpus > 1)); then dynamics cuda:0,cuda:1; fi
}

join_lines() {
  local separator=$1 first=1 item
  shift
  for item in "$@"; do
    ((first)) || printf '%s' "$separator"
    printf '%s' "$item"
    first=0
  done
}

write_record() {
  {
    printf '{"schema": "ballast-gpu-test/1", "machine": "%s", "gpu": "%s", "gpus": %d, "driver": "%s",\n' \
      "$machine" "$gpu_name" "$gpus" "$driver"
    printf ' "version": "%s", "time": "%s", "failed": %d,\n' "$(ballast_version "$root")" \
      "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$failed"
    printf ' "checks": [\n  %s],\n' "$(join_lines $',\n  ' "${checks[@]}")"
    printf ' "md": [%s]}\n' "$(join_lines $',\n' ${runs[@]+"${runs[@]}"})"
  } >"$output/record.json"
}

export BALLAST_TEST_DEVICES=${BALLAST_TEST_DEVICES:-cuda}
run_tests "$programs" tests alone
if ls "$programs"-ptx/ballast_test_* >/dev/null 2>&1; then run_tests "$programs-ptx" ptx ptx; fi
run_jobs_on_unequal_devices
run_on_parts_of_one_gpu
run_command
run_sanitizer
write_record

{
  printf '\n%d x %s, driver %s\n' "$gpus" "$gpu_name" "$driver"
  printf '%s\n' "${rows[@]}"
  if ((failed)); then echo "gpu-test.sh: $failed FAILED"; else echo "gpu-test.sh: all passed"; fi
} | tee "$output/summary.txt"
((failed == 0))
