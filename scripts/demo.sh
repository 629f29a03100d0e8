#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the command and runs molecular dynamics on whatever devices are there.
# Arguments are added to the `ballast md` line, e.g. scripts/demo.sh --devices host:1,host:1/2
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolchain.sh

scripts/setup.sh
preset=host-release
if find_nvcc >/dev/null && (($(count_gpus) > 0)); then preset=cuda; fi
# On cores alone, two devices of half of them each show what balancing does.
if [[ $preset != cuda ]] && (($(nproc) > 1)); then
  half=$(($(nproc) / 2))
  export BALLAST_DEVICES=${BALLAST_DEVICES:-host:$half,host:$half}
fi
echo "Building build/$preset/ballast"
configure "$preset" >/dev/null
cmake --build --preset "$preset" --target ballast_command

"build/$preset/ballast" devices
"build/$preset/ballast" md --system gaussian --atoms 16384 --cutoff 12 --precision double --steps 10 "$@"
