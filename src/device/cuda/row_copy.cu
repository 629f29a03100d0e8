// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "cuda/stream.hpp"

namespace ballast::detail {
namespace {

constexpr unsigned threads = 256;
/// Few blocks, to run beside kernels that fill the GPU; each has up to 4 KiB in flight.
constexpr std::size_t max_blocks = 32;

/// Copies rows of pieces; lengths and pitches are in pieces.
template <class Piece>
__global__ void copy_pieces(Piece* to, std::size_t to_pitch, Piece const* from, std::size_t from_pitch,
                            std::size_t row_length, std::size_t pieces) {
  auto const all_threads = std::size_t{gridDim.x} * threads;
  for (auto i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < pieces; i += all_threads) {
    auto const row = i / row_length, place = i % row_length;
    to[row * to_pitch + place] = from[row * from_pitch + place];
  }
}

/// Like find_kernel(), for kernels that are linked to this library.
int find_own_kernel(void const* address, driver_handle& found) noexcept {
  auto const status = cudaGetKernel(&found.kernel, address);
  if (status != cudaSuccess) cudaGetLastError();
  found.is_of_program = true;
  return status;
}

template <class Piece>
void launch_pieces(row_copy const& what, stream& on) {
  auto* to = static_cast<Piece*>(what.to);
  auto const* from = static_cast<Piece const*>(what.from);
  std::size_t to_pitch = what.to_pitch / sizeof(Piece), from_pitch = what.from_pitch / sizeof(Piece);
  std::size_t row_length = what.row_bytes / sizeof(Piece), pieces = row_length * what.rows;
  auto const blocks = std::min((pieces + threads - 1) / threads, max_blocks);
  void* arguments[] = {&to, &to_pitch, &from, &from_pitch, &row_length, &pieces};
  on.launch_plain({.function = {&copy_pieces<Piece>, find_own_kernel},
                   .shape = {launch_extent(std::uint32_t(blocks)), launch_extent(threads)},
                   .arguments = arguments,
                   .name = "a copy of rows"});
}

}  // namespace

void launch_row_copy(row_copy const& what, stream& on) {
  auto bits = reinterpret_cast<std::uintptr_t>(what.to) | reinterpret_cast<std::uintptr_t>(what.from) |
              what.row_bytes;
  if (what.rows > 1) bits |= what.to_pitch | what.from_pitch;
  if (bits % sizeof(uint4) == 0)
    launch_pieces<uint4>(what, on);
  else if (bits % sizeof(std::uint32_t) == 0)
    launch_pieces<std::uint32_t>(what, on);
  else
    launch_pieces<unsigned char>(what, on);
}

}  // namespace ballast::detail
