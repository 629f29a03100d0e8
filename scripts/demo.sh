#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the command and runs molecular dynamics on whatever devices are there.
#   scripts/demo.sh [--dry-run] [options of ballast md]
# With --dry-run it only says what it would do. Options replace those of the demo's `ballast md`, or join them, e.g.
# --devices host:1,host:1/2. BALLAST_DEVICES names the devices too; BALLAST_UNTESTED_CUDA=ON accepts nvcc 12.4 to 12.9.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

dry_run=false
given=()
for argument in "$@"; do
  case $argument in
    --dry-run) dry_run=true ;;
    -h | --help) print_help; exit ;;
    *) given+=("$argument") ;;
  esac
done
set -- ${given[@]+"${given[@]}"}
untested=${BALLAST_UNTESTED_CUDA:-OFF}
case $untested in
  ON) min_cuda=12.4 ;;
  OFF) min_cuda=13 ;;
  *) echo "demo.sh: BALLAST_UNTESTED_CUDA is '$untested'; legal is ON or OFF" >&2; exit 2 ;;
esac

# devices_asked_for ARGUMENTS...: the list after --devices, else BALLAST_DEVICES.
devices_asked_for() {
  local list=${BALLAST_DEVICES:-}
  while (($# > 0)); do
    case $1 in
      --devices=*) list=${1#*=} ;;
      --devices) list=${2:-} ;;
    esac
    shift
  done
  echo "$list"
}

# Every GPU that is new enough; else two devices of half of the cores each, which show what balancing does.
devices_to_use() {
  local half=$(($(nproc) / 2))
  if [[ -z $no_gpu && -n $(old_gpus) ]]; then
    usable_gpus | sed 's/ .*//' | paste -sd ','
  elif [[ -z $no_gpu ]]; then
    echo cuda
  elif ((half > 0)); then
    echo "host:$half,host:$half"
  else
    echo host
  fi
}

# is_given NAME ARGUMENTS...: whether these have the option, or one that says what it would.
is_given() {
  local argument name=$1
  for argument in "${@:2}"; do
    case $argument in
      --"$name" | --"$name"=*) return ;;
      --restart | --restart=*) [[ $name == steps ]] || return 0 ;;
      --system | --system=*) [[ $name != atoms ]] || return 0 ;;
    esac
  done
  return 1
}

build_quietly() {
  local log=build/demo.log start=$SECONDS
  mkdir -p build
  echo "Building; what is printed goes to $log."
  if ! { "${configure[@]}" && "${build[@]}"; } 2>&1 | tee "$log" | show_steps; then
    cat "$log" >&2
    echo "demo.sh: the build failed; what it printed stands above, and in $log" >&2
    exit 1
  fi
  echo "Built in $((SECONDS - start)) s."
}

# On a terminal, how far ninja is; nothing elsewhere.
show_steps() {
  local line
  while IFS= read -r line; do
    if [[ -t 1 && $line =~ ^\[([0-9]+/[0-9]+)\] ]]; then printf '\rStep %s ' "${BASH_REMATCH[1]}"; fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

run() {
  echo
  echo "\$ $*"
  "$@"
}

# What to try next, in a shell that does not have what is exported here.
suggest() {
  local ballast=build/demo/ballast unequal=host:1,host:1/2
  if [[ -z $no_gpu ]]; then unequal=${BALLAST_DEVICES%%,*},host:1; fi
  if [[ -z $no_gpu ]] && gpus_are_mixed; then ballast="CUDA_DEVICE_ORDER=PCI_BUS_ID $ballast"; fi
  cat <<END

Try next:
  # unequal devices: S1 gives them equal parts all the same
  $ballast md --atoms 16384 --precision double --steps 10 --devices $unequal
  # what ran where and when, for ui.perfetto.dev
  $ballast md --atoms 16384 --steps 10 --devices $BALLAST_DEVICES --trace build/trace.json
  # other systems, physics and devices, and files to write
  build/demo/ballast md --help
END
}

no_gpu=$(why_no_gpu "$min_cuda")
cuda=(-D BALLAST_CUDA=OFF)
if [[ -z $no_gpu ]]; then
  cuda=(-D BALLAST_CUDA=ON -D "BALLAST_NVCC=$(find_nvcc "$min_cuda")" -D "BALLAST_UNTESTED_CUDA=$untested"
    -D "CMAKE_CUDA_ARCHITECTURES=$(gpu_architectures)")
  export CUDA_DEVICE_ORDER=PCI_BUS_ID # nvidia-smi's
fi
configure=(cmake --preset demo "${cuda[@]}")
build=(cmake --build --preset demo --target ballast_command ballast_md_command)
md=(build/demo/ballast md)
for option in "system gaussian" "atoms 16384" "cutoff 12" "precision double" "steps 10"; do
  is_given "${option% *}" "$@" || md+=("--${option% *}" "${option#* }")
done
md+=("$@")
devices=$(devices_asked_for "$@")
export BALLAST_DEVICES=${devices:-$(devices_to_use)}

cat <<END
This demo installs what is missing (scripts/setup.sh demo) and builds two programs in build/demo: two to four
minutes on two cores, seconds when they are there. It lists the devices, then computes ten steps of a droplet
of 16384 helium atoms unless told otherwise, the same work spread over the devices in four ways.
END
if [[ -n $no_gpu ]]; then
  echo "$no_gpu."
elif [[ -n $(old_gpus) ]]; then
  echo "Left out: $(too_old_text)."
fi
echo "Devices: $BALLAST_DEVICES"

if $dry_run; then
  printf '%s\n' "scripts/setup.sh demo" "${configure[*]}" "${build[*]}" "build/demo/ballast devices"
  echo "${md[*]}"
  suggest
  exit
fi
scripts/setup.sh demo
build_quietly
run build/demo/ballast devices
run "${md[@]}"
suggest
