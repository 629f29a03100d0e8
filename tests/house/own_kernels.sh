#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# own_kernels.sh root compiler [nvcc]: passes if for_each_block.cuh alone, and segments.cuh alone, make a program for cores, and kernels
# by nvcc and by NVRTC, which gets no path to the standard library. Loops take tickets before compute capability 10.0 and, from there
# on, make one request for another block's launch and take no ticket.
set -euo pipefail
include=$(realpath "$1")/include
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >tiles.cpp <<'SOURCE'
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
cat >rows.cpp <<'SOURCE'
#include "ballast/segments.cuh"
int main() {
  std::vector<unsigned> const ends = {0, 3000, 3001, 10000};
  std::vector<ballast::segment_carry<float>> carries(5);
  std::vector<float> sums(4);
  ballast::segments<float> const rows{ballast::array_ref(ends.data()), 4, 10000, ballast::array_ref(carries.data())};
  ballast::share_memory<float> memory;
  auto const one = [](unsigned) { return 1.0f; };
  auto const add = [&](unsigned row, float sum) { sums[row] += sum; };
  for (unsigned i = 0; i < rows.shares(); ++i)
    ballast::reduce_segments(ballast::block_of<32>({}, i), memory, rows, i, 0, one, ballast::plus(), add);
  ballast::add_carries(ballast::block_of<32>({}, 0), rows, 0, 0, ballast::plus(), add);
  bool const is_cut = ballast::cut_segments(ends, {.max_items = 3000}).size() == 6;
  return is_cut && rows.shares() == 5 && sums == std::vector<float>{0, 3000, 1, 6999} ? 0 : 1;
}
SOURCE
for compiler in "$2" clang++-19 clang++-16; do
  command -v "$compiler" >/dev/null || continue
  for program in tiles rows; do
    "$compiler" -std=c++20 -Wall -Wextra -Werror -I "$include" $program.cpp -o $program
    ./$program || { echo "the program by $compiler has lost $program"; exit 1; }
  done
done
nvcc=${3:-}
[[ -n $nvcc ]] || { echo "two programs for cores; there is no nvcc"; exit 0; }

cat >rows.cu <<'SOURCE'
#if defined(__CUDACC_RTC__)
namespace std {  // as programs have it that bring a replacement of their own
using uint32_t = unsigned;
template <class, class>
constexpr bool is_same_v = false;
}
#endif
#include "ballast/segments.cuh"
using rows_of_floats = ballast::segments<float>;
extern "C" __global__ void __launch_bounds__(128) reduced(rows_of_floats rows, float const* values, float* sums) {
  __shared__ ballast::share_memory<float> memory;
  ballast::reduce_segments(ballast::block_of<128>({}, blockIdx.x), memory, rows, blockIdx.x, 0, [&](unsigned i) { return values[i]; },
                           ballast::plus(), [&](unsigned row, float sum) { sums[row] = sum; });
}
extern "C" __global__ void __launch_bounds__(128) carried(rows_of_floats rows, float* sums) {
  ballast::add_carries(ballast::block_of<128>({}, blockIdx.x), rows, blockIdx.x, 0, ballast::plus(),
                       [&](unsigned row, float sum) { sums[row] += sum; });
}
extern "C" __global__ void __launch_bounds__(128) cut(unsigned const* ends, unsigned count, ballast::piece* pieces, unsigned* counters) {
  ballast::block_of<128> const block({}, 0);
  auto const last = ballast::cut_segments(block, ends, count, 512, pieces) - 1;
  if (ballast::is_last_of(block, pieces[last], counters)) pieces[0] = pieces[last];
}
SOURCE
cat >tiles.cu <<'SOURCE'
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
  std::ifstream file(arguments[3]);
  std::string const source{std::istreambuf_iterator<char>(file), {}};
  char const* const options[] = {"-std=c++20", arguments[1], arguments[2]};
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, source.c_str(), arguments[3], 0, nullptr, nullptr);
  bool const is_made = nvrtcCompileProgram(program, 3, options) == NVRTC_SUCCESS;
  std::size_t bytes = 0;
  is_made ? nvrtcGetPTXSize(program, &bytes) : nvrtcGetProgramLogSize(program, &bytes);
  std::string text(bytes, '\0');
  is_made ? nvrtcGetPTX(program, text.data()) : nvrtcGetProgramLog(program, text.data());
  std::puts(text.c_str());
  return is_made ? 0 : 1;
}
SOURCE
# nvcc knows where its toolkit keeps libraries. Some toolkits come without this one or without its parts, and then the linker, or it
# itself, says so.
toolkit=$(dirname "$(dirname "$(realpath "$nvcc")")")
has_nvrtc=0
echo >empty.cu
if "$nvcc" -std=c++20 -x c++ nvrtc.cpp -Xlinker "-rpath=$toolkit/lib64" -lnvrtc -o nvrtc && ./nvrtc -DA -DB empty.cu >empty.ptx; then
  has_nvrtc=1
elif [[ -e empty.ptx ]]; then
  cat empty.ptx
fi

# tiles FILE REQUESTS: it has so many, or else tickets.
tiles() {
  local requests tickets
  requests=$(grep -c 'clusterlaunchcontrol\.try_cancel' "$1" || true)
  tickets=$(grep -cE '\b(atom|red)\.' "$1" || true)
  [[ $requests == "$2" && $((tickets > 0)) == $((1 - $2)) ]] || { echo "$1 has $requests requests and $tickets atomics"; exit 1; }
}
# rows FILE: it has the kernels.
rows() {
  [[ $(grep -c '^\.visible \.entry ' "$1") == 3 ]] || { echo "$1 lacks kernels"; exit 1; }
}
for architecture in 75 90 100 100a; do
  requests=0
  ((${architecture%a} < 100)) || requests=1
  for source in tiles rows; do
    by_nvcc=${source}_by_nvcc_$architecture
    by_nvrtc=${source}_by_nvrtc_$architecture
    "$nvcc" -std=c++20 -I "$include" -arch="compute_$architecture" -ptx -Werror all-warnings $source.cu -o "$by_nvcc"
    $source "$by_nvcc" "$requests"
    ((has_nvrtc == 1)) || continue
    ./nvrtc "-I$include" "-arch=compute_$architecture" $source.cu >"$by_nvrtc" || { cat "$by_nvrtc"; exit 1; }
    $source "$by_nvrtc" "$requests"
  done
done
echo "for_each_block.cuh and segments.cuh alone compile for cores and for GPUs; by NVRTC: $has_nvrtc"
