#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gpu_pack.sh root: passes if scripts/gpu-pack.sh packs what was built, all or some targets, with tools that are made up.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/root"
cp -r "$1/scripts" "$scratch/root"
export LC_ALL=C PATH=$scratch/bin:$PATH
pack=$scratch/root/scripts/gpu-pack.sh

tool() { { echo '#!/bin/bash'; cat; } >"$scratch/bin/$1"; chmod +x "$scratch/bin/$1"; }
tool nvcc <<<"echo 'Cuda compilation tools, release 13.0, V13.0.48'"
tool strip <<<'cp "$3" "$2"'
tool ldd <<<"[[ -e \$1 ]] && echo '  libtbb.so.12 => $scratch/libtbb.so.12 (0x1)'"
echo library >"$scratch/libtbb.so.12"
# Builds a program of each --target's name, or all that there are.
tool cmake <<'END'
[[ $1 == --build ]] || exit 0
folder=$2 programs=(ballast ballast-bench ballast_test_queue)
for ((i = 3; i <= $#; ++i)); do if [[ ${!i} == --target ]]; then programs=("${@:i+1}"); fi; done
mkdir -p "$folder/tests"
for name in "${programs[@]}"; do echo "$name" >"$folder/tests/$name"; chmod +x "$folder/tests/$name"; done
if [[ -e $folder/tests/ballast-bench ]]; then mv "$folder/tests/ballast-bench" "$folder"; fi
END

# packs "NAMES" FOLDER [arguments...]
packs() {
  local said got
  rm -rf "$scratch/root/build"
  said=$(bash "$pack" "${@:3}" 2>&1) || { echo "gpu-pack.sh ${*:3} fails: $said"; exit 1; }
  got=$(ls -m "$scratch/root/build/$2")
  [[ $got == "$1" ]] || { echo "gpu-pack.sh ${*:3} packs '$got', not '$1'"; exit 1; }
}

packs "ballast, ballast-bench, ballast_test_queue, libtbb.so.12" gpu
packs "ballast_test_pool" gpu --target ballast_test_pool
packs "ballast_test_pool" gpu-ptx --architectures 75-virtual --target ballast_test_pool
packs "ballast_test_pool" gpu-ptx --target ballast_test_pool --architectures 75-virtual
rm -rf "$scratch/root/build"
if said=$(bash "$pack" --target no_test 2>&1) || [[ $said != *"gpu-pack.sh: no program was built"* ]]; then
  echo "gpu-pack.sh without a program says: $said"
  exit 1
fi
echo "gpu-pack.sh packs what was built"
