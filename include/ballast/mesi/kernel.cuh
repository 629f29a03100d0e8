// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/device/block.cuh"
#include "ballast/device/qualifiers.cuh"

namespace ballast::mesi {

/// What a thread of a launch `kernel<<[x, y]>>` is told of itself.
struct thread_id {
  int x = 0, y = 0;
};

/// `<<[x, y]>>`, or `<<[x]>>`.
struct threads {
  constexpr explicit threads(std::int64_t along_x, std::int64_t along_y = 1) : x(along_x), y(along_y) {}
  std::int64_t x, y;
};

/// none: one task has all blocks.
enum class axis : std::uint8_t { x, y, none };

/// How a launch is carried out: threads per block, and the dimension along which it is cut.
struct launch_form {
  std::uint32_t block_x = 256, block_y = 1;
  axis cut = axis::x;
};

/// The blocks of a launch, of which `Launch` says what a thread does.
template <class Launch>
struct thread_blocks {
  static constexpr launch_form form = Launch::form;
  static constexpr int threads = int(form.block_x * form.block_y);

  Launch launch;
  std::uint32_t threads_x, threads_y;

  BALLAST_HD std::uint32_t blocks_x() const { return (threads_x + form.block_x - 1) / form.block_x; }
  BALLAST_HD std::uint32_t blocks_y() const { return (threads_y + form.block_y - 1) / form.block_y; }

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    bool constexpr along_y = form.cut != axis::x;
    std::uint32_t const across = along_y ? blocks_x() : blocks_y();
    std::uint32_t const slow = block.index() / across, fast = block.index() % across;
    std::uint32_t const first_x = (along_y ? fast : slow) * form.block_x;
    std::uint32_t const first_y = (along_y ? slow : fast) * form.block_y;
    if constexpr (Block::threads == 1)
      run_in_rows(first_x, first_y);
    else
      block.for_each(items<form.block_x * form.block_y>, [&](std::uint32_t i) {
        std::uint32_t const x = first_x + i % form.block_x, y = first_y + i / form.block_x;
        if (x < threads_x && y < threads_y) launch(thread_id{int(x), int(y)});
      });
  }

 private:
  /// The host's thread takes a row after the other.
  BALLAST_HD void run_in_rows(std::uint32_t first_x, std::uint32_t first_y) const {
    std::uint32_t const end_x = least(first_x + form.block_x, threads_x);
    std::uint32_t const end_y = least(first_y + form.block_y, threads_y);
    for (std::uint32_t y = first_y; y < end_y; ++y)
      for (std::uint32_t x = first_x; x < end_x; ++x) launch(thread_id{int(x), int(y)});
  }
  BALLAST_HD static std::uint32_t least(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

}  // namespace ballast::mesi
