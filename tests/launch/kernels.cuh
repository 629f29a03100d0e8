// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <thread>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {}

namespace ballast::test {
using namespace detail;

/// Block b adds 1 to visits[b].
struct count_visits {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> visits;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) device_atomic<std::uint32_t>(visits[block.index()]).add_relaxed(1);
  }
};

/// Each block adds the number of workers to the word of its worker.
struct count_workers {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> words;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) device_atomic<std::uint32_t>(words[block.worker()]).add_relaxed(block.workers());
  }
};

/// Appends its number to a log whose length is log[0]; right only if kernels of a line do not overlap.
struct append_to_log {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> log;
  std::uint32_t number;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    auto const length = log[0];
    log[1 + length] = number;
    log[0] = length + 1;
  }
};

/// item[i] = 3 * item[i] + addend for the items of each block, through scratch. Of another family than the
/// others, since it has more threads.
struct mix_items {
  static constexpr int threads = 128, items = 100;
  struct scratch {
    std::uint32_t held[items];
  };
  array_ref<std::uint32_t> item;
  std::uint32_t addend;
  std::uint32_t unused[9];  ///< so that the arguments are no small number of pieces

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& held = block.scratch().held;
    auto const first = block.index() * items;
    block.for_each(items, [&](std::uint32_t i) { held[i] = item[first + i]; });
    block.sync();
    block.for_each(items, [&](std::uint32_t i) { item[first + i] = 3 * held[items - 1 - i] + addend; });
  }
};

/// As mix_items without scratch, in the family of the first two.
struct scale_items {
  static constexpr int threads = 64, items = 100;
  array_ref<std::uint32_t> item;
  std::uint64_t factor, addend;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const first = block.index() * items;
    block.for_each(items, [&](std::uint32_t i) {
      item[first + i] = std::uint32_t(item[first + i] * factor + addend + block.count());
    });
  }
};

/// Waits until the gate, in pinned memory, is not 0; for some seconds at most.
struct wait_at_gate {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> gate;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) {
      atomic_ref<std::uint32_t, scope::system> const open(gate[0]);
      for (std::uint32_t looks = 0; open.load_acquire() == 0 && looks < 20'000'000; ++looks) pause();
    }
    block.sync();
  }

 private:
  BALLAST_HD static void pause() {
#if !BALLAST_ON_GPU
    std::this_thread::yield();
#endif
  }
};

/// The same, when it has said by the word behind the gate that it is there.
struct arrive_at_gate {
  static constexpr int threads = 64;
  array_ref<std::uint32_t> gate;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) atomic_ref<std::uint32_t, scope::system>(gate[1]).store_release(1);
    wait_at_gate{gate}(block);
  }
};

/// As count_visits, by a kernel that says it needs its occupancy. In the same family.
struct count_visits_widely {
  static constexpr int threads = 64;
  static constexpr bool needs_occupancy = true;
  array_ref<std::uint32_t> visits;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    count_visits{visits}(block);
  }
};

/// The fault of a device: a trap on a GPU, an exception on the host.
struct fault {
  static constexpr int threads = 64;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
#if BALLAST_ON_GPU
    __trap();
#else
    throw std::runtime_error("planted");
#endif
  }
};

kernel_set const& kernels();

}  // namespace ballast::test
