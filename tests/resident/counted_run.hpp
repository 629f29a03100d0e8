// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "kernels.cuh"
#include "test_devices.hpp"

namespace ballast::test {
using namespace detail;

inline std::shared_ptr<compute_device> device() { return devices().front(); }

/// So many workers, and a server on a GPU.
inline resident_options with_workers(int workers) {
  resident_options options;
  options.blocks = workers + (device()->is_cuda() ? 1 : 0);
  return options;
}

/// A resident kernel of counting_source.
struct counted_run {
  explicit counted_run(resident_options options = with_workers(2))
      : words(device(), max_blocks_of_device()), kernel(device(), list, entry, options) {
    std::ranges::fill(words.span(), 0u);
  }
  /// No SM holds more than 32.
  static std::size_t max_blocks_of_device() {
    return 32 * std::size_t(device()->properties().multiprocessors);
  }
  /// Those of the present run, or the last.
  std::uint32_t workers() const { return kernel.blocks() - (device()->is_cuda() ? 1 : 0); }
  counting_source source(std::uint32_t each, bool stays) const {
    counting_source source;
    source.control = kernel.next_control();
    source.words = words.data();
    source.each = each;
    source.stays = stays;
    return source;
  }
  void start(std::uint32_t each, bool stays) {
    for (bool started = false; !started;) {
      kernel.take_room();
      auto const argument = source(each, stays);
      started = kernel.start(&argument, sizeof argument);
    }
  }
  void start_on(
      stream& on, std::uint32_t each, bool stays, std::function<void()> follow = [] {}) {
    auto const argument = source(each, stays);
    kernel.start_on(on, &argument, sizeof argument, std::move(follow));
  }
  std::uint32_t executed() const {
    std::uint32_t sum = 0;
    for (auto const word : words.span()) sum += word;
    return sum;
  }

  kernel_set const& list = resident_test_kernels();
  kernel_entry const& entry = list.entry_for(entry_key_of<counting_source>);
  pinned_buffer<std::uint32_t> words;
  resident_kernel kernel;
};

/// As many blocks as the device holds.
inline resident_options whole_device() {
  resident_options options;
  auto const& entry = resident_test_kernels().entry_for(entry_key_of<counting_source>);
  options.blocks =
      device()->resources(entry.code).blocks_per_multiprocessor * device()->properties().multiprocessors;
  return options;
}

inline deadline soon() { return deadline::in(std::chrono::minutes(1)); }

}  // namespace ballast::test
