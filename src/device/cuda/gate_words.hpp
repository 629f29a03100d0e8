// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/driver.hpp"

namespace ballast::detail {

class cuda_engine;

/// Words of pinned memory at which streams of a GPU wait until the host opens them. A word is used again as
/// soon as it was opened: a stream that has not seen it passes at any later value too. Any thread may call
/// any member.
class gate_words {
 public:
  static constexpr std::uint32_t count = 256;

  /// Those of the engine's GPU, which stay until the process ends, since to free them would wait for resident
  /// kernels. To allocate them would too, but the first device of a GPU does, and resident kernels are
  /// started through devices. The GPU must have been entered.
  static gate_words* of(cuda_engine& engine);

  explicit gate_words(cuda_engine& engine);

  /// Has the stream wait at a word, and returns the word's number. Throws error if all of them are waited
  /// for. Blocks while the stream is full, as a launch does. The GPU must have been entered.
  std::uint32_t enqueue(cuda_engine& engine, cudaStream_t in);
  /// Once per enqueue().
  void open(std::uint32_t word) noexcept;

 private:
  struct gate {
    std::uint32_t word, opens_at;
  };

  gate take(std::string const& device);

  PFN_cuStreamWaitValue32_v11070 const wait_at_;
  std::uint32_t* const words_;
  std::mutex mutex_;
  std::vector<std::uint32_t> opens_at_;  ///< by word: the value
  std::vector<std::uint32_t> unused_;
};

}  // namespace ballast::detail
