#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# subproject_cuda.sh root cmake compiler: projects around a ballast with the GPU backend, with and without the language CUDA.
# They are configured, not built.
set -euo pipefail
root=$1 cmake=$2 compiler=$3
source "$root/scripts/toolchain.sh"
nvcc=$(find_nvcc) || { echo "there is no nvcc of CUDA 13"; exit 77; }
source "$root/tests/house/parent_project.sh"

sentence="the project must enable CUDA, as in project(name LANGUAGES CXX CUDA)"
cuda=(-D BALLAST_CUDA=ON -D CMAKE_CUDA_COMPILER="$nvcc")
refuses_to_configure "$sentence" without_cuda parent "${cuda[@]}"

# The package as it would be installed, with empty libraries in it.
"$cmake" -G Ninja -S "$root" -B "$scratch/build" -D CMAKE_CXX_COMPILER="$compiler" "${cuda[@]}" \
  -D CMAKE_INSTALL_PREFIX="$scratch/prefix" $(printf -- '-D BALLAST_%s=OFF ' COMMAND APPS BENCHMARKS EXAMPLES MESICC TESTS)
sed -n 's/^build \(lib[^ ]*\.a\): .*/\1/p' "$scratch/build/build.ninja" | (cd "$scratch/build" && xargs touch)
"$cmake" --install "$scratch/build" >/dev/null
sed -i 's/kernels\.cu)/kernels.cu ARCHITECTURES 70-real 90)/' "$scratch/outside/CMakeLists.txt"
said=$(configure_project warned outside -D CMAKE_PREFIX_PATH="$scratch/prefix" -D CMAKE_CUDA_COMPILER="$nvcc" 2>&1)
[[ $(tr -s ' \n' ' ' <<<"$said") == *"open_devices() refuses GPUs of 70, as this ballast was built for"* ]] ||
  fail "nothing is said of kernels for GPUs that ballast was not built for: $said"
sed -i '/enable_language(CUDA)/d' "$scratch/outside/CMakeLists.txt"
refuses_to_configure "$sentence" outside outside -D CMAKE_PREFIX_PATH="$scratch/prefix"

# GPU code for what the project names, and the library knows it.
configure_project with_cuda parent "${cuda[@]}" -D ENABLE_CUDA=ON -D CMAKE_CUDA_ARCHITECTURES=86-real
commands=$(ninja -C "$scratch/with_cuda" -t commands program)
codes=$(grep -E -- '-c [^ ]*/kernels\.cu ' <<<"$commands" | grep -oE -- '(-arch|--gpu-architecture|-gencode|--generate-code)[= ][^ ]*' || true)
[[ $codes == "--generate-code=arch=compute_86,code=[sm_86]" ]] || fail "for 86-real alone nvcc gets $codes"
grep -qF 'BALLAST_GPU_CODE=\"86\"' <<<"$commands" || fail "the library does not know that its code is for 86"
