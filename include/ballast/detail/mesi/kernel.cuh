// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/kernel.cuh"

/// The parts of a program that mesicc has translated (docs/mesi.md).
namespace ballast::mesi {

/// The indices of a thread in a launch `kernel<<[x, y]>>`.
struct thread_id {
  /// Its place along x, from 0.
  int x = 0, y = 0;  ///< its place along y, from 0
};

/// The numbers of threads of a launch: `<<[x, y]>>`, or `<<[x]>>`.
struct threads {
  /// Numbers of threads along x and along y; up to 2 147 483 647 each, which the launch checks.
  constexpr explicit threads(std::int64_t along_x, std::int64_t along_y = 1) : x(along_x), y(along_y) {}
  /// Threads along x; a launch of 0 or fewer along either does nothing.
  std::int64_t x, y;  ///< threads along y
};

/// The dimension along which a launch is cut; none: one task has all blocks.
enum class axis : std::uint8_t { x, y, none };

/// free: the compiler may use any number of registers. few: only as many as let a multiprocessor hold its
/// full number of threads.
enum class registers : std::uint8_t { free, few };

/// The form of a launch: threads per block, the dimension along which it is cut, and how many threads of the
/// launch, in consecutive rows, each thread of a block executes in turn.
struct launch_form {
  /// Threads of a block along x; block_x * block_y is a multiple of 32, at most 1024.
  std::uint32_t block_x = 256, block_y = 1;  ///< along y
  /// The dimension whose blocks become tasks.
  axis cut = axis::x;
  /// How many threads of the launch along y one thread of a block runs; at least 1.
  std::uint32_t rows_per_thread = 1;
  /// How the compiler allocates registers.
  registers use = registers::free;

  /// Threads of the launch in a block, along x.
  BALLAST_HD constexpr std::uint32_t width() const { return block_x; }
  /// Threads of the launch in a block, along y.
  BALLAST_HD constexpr std::uint32_t height() const { return block_y * rows_per_thread; }
};

/// The blocks of a launch; `Launch` defines the work of a thread.
template <class Launch>
struct thread_blocks {
  /// How the launch is carried out.
  static constexpr launch_form form = Launch::form;
  /// Threads of a block, as every kernel declares them.
  static constexpr int threads = int(form.block_x * form.block_y);
  /// A multiprocessor holds 2048 threads, in at most 32 blocks.
  static constexpr int blocks_per_multiprocessor =
      form.use == registers::few ? (std::min)(2048 / threads, 32) : 1;

  /// The body of a thread, with its arguments.
  Launch launch;
  /// Threads of the whole launch along x.
  std::uint32_t threads_x, threads_y;  ///< along y

  /// Blocks along x, the last of which may not be full.
  BALLAST_HD std::uint32_t blocks_x() const { return (threads_x + form.width() - 1) / form.width(); }
  /// Blocks along y, the last of which may not be full.
  BALLAST_HD std::uint32_t blocks_y() const { return (threads_y + form.height() - 1) / form.height(); }

  /// Runs the threads of one block, except those beyond the launch.
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    bool constexpr along_y = form.cut != axis::x;
    std::uint32_t const across = along_y ? blocks_x() : blocks_y();
    std::uint32_t const slow = block.index() / across, fast = block.index() % across;
    std::uint32_t const first_x = (along_y ? fast : slow) * form.width();
    std::uint32_t const first_y = (along_y ? slow : fast) * form.height();
    if constexpr (Block::threads == 1)
      run_in_rows(first_x, first_y);
    else
      block.for_each(items<form.block_x * form.block_y>, [&](std::uint32_t i) {
        run_down(first_x + i % form.block_x, first_y + i / form.block_x * form.rows_per_thread);
      });
  }

 private:
  BALLAST_HD void run_down(std::uint32_t x, std::uint32_t y) const {
    if (x >= threads_x) return;
#if BALLAST_ON_GPU
#  pragma unroll
#endif
    for (std::uint32_t row = 0; row < form.rows_per_thread; ++row) {
      if (y + row >= threads_y) return;  // docs/decisions/0015 explains this form
      launch(thread_id{int(x), int(y + row)});
    }
  }

  /// Runs the threads of a block on one thread of the host, row after row.
  BALLAST_HD void run_in_rows(std::uint32_t first_x, std::uint32_t first_y) const {
    std::uint32_t const end_x = smaller(first_x + form.width(), threads_x);
    std::uint32_t const end_y = smaller(first_y + form.height(), threads_y);
    for (std::uint32_t y = first_y; y < end_y; ++y)
      for (std::uint32_t x = first_x; x < end_x; ++x) launch(thread_id{int(x), int(y)});
  }
  BALLAST_HD static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

}  // namespace ballast::mesi
