#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tile_loop.sh root compiler [nvcc]: passes if for_each_block.cuh alone makes a program for cores, and kernels by nvcc and NVRTC:
# with tickets before compute capability 10.0 and, from there on, with one request for another block's launch and no ticket.
set -euo pipefail
include=$(realpath "$1")/include
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >cores.cpp <<'SOURCE'
#include "ballast/for_each_block.cuh"
struct core {
  static constexpr unsigned threads = 1;
  unsigned rank() const { return 0; }
  void sync() const {}
};
int main() {
  ballast::block_counter counter;
  unsigned sum = 0;
  for (int block = 0; block < 2; ++block)
    ballast::for_each_block(core(), counter, 100, 2, [&](unsigned tile) { sum += tile; });
  return sum == 4950 && counter.take(0) == 0 ? 0 : 1;
}
SOURCE
for compiler in "$2" clang++-19 clang++-16; do
  command -v "$compiler" >/dev/null || continue
  "$compiler" -std=c++20 -Wall -Wextra -Werror -I "$include" cores.cpp -o cores
  ./cores || { echo "the program by $compiler has lost tiles"; exit 1; }
done
nvcc=${3:-}
[[ -n $nvcc ]] || { echo "one program for cores; there is no nvcc"; exit 0; }

cat >kernel.cu <<'SOURCE'
#include "ballast/for_each_block.cuh"
extern "C" __global__ void mine(unsigned* visits, ballast::block_counter* counter, unsigned tiles, ballast::block_quantum quantum) {
  ballast::for_each_block(*counter, tiles, quantum, [&](unsigned tile) { visits[tile] += threadIdx.x; });
}
SOURCE
cat >nvrtc.cpp <<'SOURCE'
#include <nvrtc.h>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
int main(int, char** arguments) {
  std::ifstream file("kernel.cu");
  std::string const source{std::istreambuf_iterator<char>(file), {}};
  char const* const options[] = {"-std=c++20", arguments[1], arguments[2]};
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
  bool const is_made = nvrtcCompileProgram(program, 3, options) == NVRTC_SUCCESS;
  std::size_t bytes = 0;
  is_made ? nvrtcGetPTXSize(program, &bytes) : nvrtcGetProgramLogSize(program, &bytes);
  std::string text(bytes, '\0');
  is_made ? nvrtcGetPTX(program, text.data()) : nvrtcGetProgramLog(program, text.data());
  std::puts(text.c_str());
  return is_made ? 0 : 1;
}
SOURCE
cuda=$(dirname "$(dirname "$(realpath "$nvcc")")")
has_nvrtc=0
if "$2" -std=c++20 -I "$cuda/include" nvrtc.cpp -L "$cuda/lib64" -Wl,-rpath,"$cuda/lib64" -lnvrtc -o nvrtc 2>/dev/null; then has_nvrtc=1; fi

# expect FILE REQUESTS TICKETS
expect() {
  local requests tickets
  requests=$(grep -c 'clusterlaunchcontrol\.try_cancel' "$1" || true)
  tickets=$(grep -cE '\b(atom|red)\.' "$1" || true)
  [[ $requests == "$2" && $((tickets > 0)) == "$3" ]] || { echo "$1 has $requests requests and $tickets atomics"; exit 1; }
}
for architecture in 75 90 100 100a; do
  requests=0
  ((${architecture%a} < 100)) || requests=1
  "$nvcc" -std=c++20 -I "$include" -arch="compute_$architecture" -ptx -Werror all-warnings kernel.cu -o "by_nvcc_$architecture"
  expect "by_nvcc_$architecture" "$requests" $((1 - requests))
  ((has_nvrtc == 1)) || continue
  ./nvrtc "-I$include" "-arch=compute_$architecture" >"by_nvrtc_$architecture" || { cat "by_nvrtc_$architecture"; exit 1; }
  expect "by_nvrtc_$architecture" "$requests" $((1 - requests))
done
echo "for_each_block.cuh alone compiles for cores and for GPUs; by NVRTC: $has_nvrtc"
