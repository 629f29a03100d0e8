#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures by NVIDIA's ncu how threads of a warp diverge in the force kernels of S1 (sorted atoms) and of S2 (random
# order), by cells and by all pairs, on one GPU: one evaluation each, after one that is not looked at.
#   scripts/measure-divergence.sh [programs] [output]
# programs: a folder with `ballast` of the cuda preset, default build/gpu (as scripts/gpu-pack.sh makes it).
# output: default $OUT, else bench/results/1x-<gpu>; gets divergence-<time>.json (bench/SCHEMA.md). The exit status
# is 0 if every run gave at least what the answer needs. Variables:
#   BALLAST_DIVERGENCE_ATOMS     atoms, default 65536
#   BALLAST_DIVERGENCE_DEVICE    default cuda:0
#   BALLAST_DIVERGENCE_PATIENCE  seconds after which one run of ncu is killed, default 180
# Chen et al. 2010, section 6.3.1, of 512K atoms by all pairs on a C1060: the profiler counted 49% more thread
# divergences for S2 than for S1, and a step took 74% longer.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/toolchain.sh"

stop() {
  echo "measure-divergence.sh: $*" >&2
  exit 1
}

# What the answer needs: threads of 32 that took part in an instruction, on average.
needed=smsp__thread_inst_executed_per_inst_executed.ratio
# What helps to explain it: branches whose threads agreed, threads of branches that did not, instructions, how many
# warps there were to hide waits, and the time under ncu, which is not that of the benchmarks.
explaining=smsp__sass_average_branch_targets_threads_uniform.pct,smsp__sass_branch_targets_threads_divergent.sum
explaining+=,smsp__inst_executed.sum,smsp__thread_inst_executed.sum,sm__warps_active.avg.pct_of_peak_sustained_active
explaining+=,gpu__time_duration.sum

programs=${1:-$root/build/gpu}
ballast=$programs/ballast
atoms=${BALLAST_DIVERGENCE_ATOMS:-65536}
device=${BALLAST_DIVERGENCE_DEVICE:-cuda:0}
time_limit=${BALLAST_DIVERGENCE_PATIENCE:-180}
export LC_ALL=C

ncu=$(PATH=$PATH:/usr/local/cuda/bin command -v ncu) || stop "there is no ncu in PATH or /usr/local/cuda/bin"
[[ -x $ballast ]] || stop "there is no program $ballast"
[[ $atoms =~ ^[1-9][0-9]*$ ]] || stop "BALLAST_DIVERGENCE_ATOMS is '$atoms'; legal is a whole number from 1"
(($(count_gpus) > 0)) || stop "nvidia-smi shows no GPU"
gpu_name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)
machine=1x-$(tr -cs 'A-Za-z0-9\n' '-' <<<"$gpu_name" | tr 'A-Z' 'a-z')
output=${2:-${OUT:-$root/bench/results/$machine}}
mkdir -p "$output" || stop "$output cannot be made"
commit=${BALLAST_COMMIT:-$(git -C "$root" rev-parse HEAD 2>/dev/null || true)}
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

declare -A kernel_of=([cells]=cell_forces [all-pairs]=all_pairs_forces)

# profile FORCES SOLUTION METRICS: leaves ncu's rows in $log. ncu's and ballast's standard error are shown.
profile() {
  local forces=$1 solution=$2 metrics=$3 status=0
  : >"$log"
  timeout -s KILL "$time_limit" "$ncu" --csv --clock-control none --print-units base --log-file "$log" \
    --kernel-name-base demangled --kernel-name "regex:.*${kernel_of[$forces]}.*" --launch-skip 1 --launch-count 1 \
    --metrics "$metrics" "$ballast" md --atoms "$atoms" --forces "$forces" --solutions "$solution" \
    --devices "$device" --json >/dev/null || status=$?
  ((status == 0)) && grep -q "\"$needed\",\"[^\"]*\",\"[0-9]" "$log" && return 0
  {
    case $status in
      0) echo "measure-divergence.sh: $forces, $solution: ncu ended well, but says nothing of $needed" ;;
      137) echo "measure-divergence.sh: $forces, $solution: killed, perhaps after $time_limit s" ;;
      *) echo "measure-divergence.sh: $forces, $solution: ncu ended with $status" ;;
    esac
    echo "  metrics: $metrics; what ncu said:"
    tail -20 "$log" | sed 's/^/  /'
  } >&2
  return 1
}

# Prints the rows of $log as members of a JSON object: metric, value (null where ncu has no number) and unit. The
# last three fields of a row are a metric's name, its unit and its value.
metrics_as_json() {
  awk -F '","' '
    /^"/ && NF >= 3 {
      value = $NF; gsub(/[",\r]/, "", value)
      if ($(NF - 2) == "Metric Name") next
      if (value !~ /^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/) value = "null"
      printf "%s\"%s\": {\"value\": %s, \"unit\": \"%s\"}", (n++ ? ",\n    " : ""), $(NF - 2), value, $(NF - 1)
    }' "$log"
}

# The name of the kernel, so that a reader sees that it was the right one.
kernel_name() {
  awk -F '","' '
    /^"/ && !column { for (i = 1; i <= NF; ++i) if ($i == "Kernel Name") column = i; next }
    /^"/ { print $column; exit }' "$log" | tr -d '"\\'
}

failed=0
found=()
measure() {
  local forces=$1 solution=$2 all=$needed,$explaining
  profile "$forces" "$solution" "$all" || profile "$forces" "$solution" "$needed" || {
    failed=$((failed + 1))
    return
  }
  found+=("$(printf '{"forces": "%s", "solution": "%s", "kernel": "%s",\n   "metrics": {\n    %s}}' \
    "$forces" "$solution" "$(kernel_name)" "$(metrics_as_json)")")
  printf '%-10s %-3s %s threads of 32\n' "$forces" "$solution" \
    "$(metrics_as_json | sed -n "s/.*\"$needed\": {\"value\": \([^,]*\),.*/\1/p")"
}

for forces in cells all-pairs; do
  for solution in S1 S2; do measure "$forces" "$solution"; done
done

((${#found[@]} > 0)) || stop "all 4 runs failed; nothing was written"
record=$output/divergence-$(date -u +%Y%m%dT%H%M%SZ).json
{
  printf '{"schema": "ballast-divergence/1", "machine": "%s", "gpu": "%s", "driver": "%s",\n' \
    "$machine" "$gpu_name" "$driver"
  printf ' "version": "%s", "commit": "%s", "time": "%s",\n' "$(ballast_version "$root")" "$commit" \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  printf ' "ncu": "%s",\n' "$("$ncu" --version 2>/dev/null | tail -1 | tr -d '"\\')"
  printf ' "atoms": %s, "precision": "single", "failed": %d,\n "kernels": [' "$atoms" "$failed"
  for ((i = 0; i < ${#found[@]}; ++i)); do printf '%s\n  %s' "$( ((i)) && echo , )" "${found[i]}"; done
  printf ']}\n'
} >"$record" || stop "$record cannot be written"
echo "written to $record"
((failed == 0)) || stop "$failed of 4 runs failed"
