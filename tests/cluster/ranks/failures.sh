#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# failures.sh folder: how programs of that folder end where one rank fails, or was told something else than the others: none of
# them waits for it, and each says why. With --enable-recovery, since mpirun would end the others before they can speak.
set -uo pipefail
timeout_s=60
source "${BASH_SOURCE%/*}/on_ranks.sh"
hotspot=("$1/ballast-hotspot" --cluster --size 64)
told() {
  grep -qE -- "$1" "$out/said" || { echo "nobody has said: $1"; cat "$out/said"; exit 1; }
}

on_ranks 1 --enable-recovery "${hotspot[@]}" --devices host:1 : -np 1 "${hotspot[@]}" --devices cuda:999 &>"$out/said"
told "^ballast: --devices is cuda:999"
told "^ballast: rank 1 failed: devices is cuda:999"

on_ranks 3 --enable-recovery "${hotspot[@]}" --devices host:1 --trace "$out/no such folder/trace" &>"$out/said"
told "^ballast: cannot write .*no such folder"
told "^ballast: rank 0 failed: cannot write .*no such folder"

for other in "--steps 6" "--policy static" "--repeat 2" "--trace $out/trace"; do
  on_ranks 1 --enable-recovery "${hotspot[@]}" --devices host:1 : -np 1 "${hotspot[@]}" --devices host:1 $other &>"$out/said"
  (($(grep -cE -- "^ballast: ${other%% *} is .* on rank 0, and .* on rank 1; legal is the same on all ranks" "$out/said") == 2)) ||
    { echo "not both ranks have refused $other"; cat "$out/said"; exit 1; }
done
