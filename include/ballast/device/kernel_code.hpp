// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ballast::inline device {

/// Makes a host device slower by a stated factor: sleeps (factor - 1) times what was just worked.
/// What a sleep takes too long is carried over, so the factor holds on average. One thread each.
class pacer {
 public:
  explicit pacer(double slowdown) : extra_(slowdown - 1.0) {}

  /// Whether it ever sleeps.
  bool is_needed() const { return extra_ > 0; }
  /// Call after `worked` of real work: sleeps as add_debt() says.
  void worked(std::chrono::nanoseconds worked);

  /// The arithmetic alone. add_debt() books `worked` and says how long to sleep now: the whole debt, or 0
  /// while it is below 100 us; slept() books how long a sleep really took.
  std::chrono::nanoseconds add_debt(std::chrono::nanoseconds worked);
  void slept(std::chrono::nanoseconds took);

 private:
  double extra_;
  double debt_ns_ = 0;
};

/// What one block of a host launch is given: its index in the grid, its scratch buffer, its pacer.
struct host_block_context {
  std::uint32_t block = 0;
  std::uint32_t grid = 0;
  void* scratch = nullptr;  ///< `kernel_code::scratch_bytes`, aligned to 128 bytes, not cleared
  pacer* pace = nullptr;    ///< only a cooperative launch paces itself; plain blocks are paced by the device
};

/// One kernel as both backends see it: a function whose only parameter is a trivially copyable argument.
struct kernel_code {
  std::string_view name;
  void const* cuda_function =
      nullptr;  ///< address of the `__global__` function; null where CUDA was not built
  void (*host_function)(void const* argument, host_block_context& context) = nullptr;
  std::uint32_t threads = 0;        ///< threads of a block on a GPU, a multiple of 32 up to 1024
  std::uint32_t scratch_bytes = 0;  ///< dynamic shared memory of a block; a buffer per worker on the host
};

/// What a kernel needs of a device; `blocks_per_multiprocessor` is what fits at once (1 on the host).
struct kernel_resources {
  int registers = 0;            ///< per thread
  int spill_bytes = 0;          ///< local memory per thread
  int static_shared_bytes = 0;  ///< per block
  int blocks_per_multiprocessor = 0;
};

}  // namespace ballast::inline device
