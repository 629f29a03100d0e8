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

/// A resident kernel of counting_source on 2 workers (and a server on a GPU).
struct counted_run {
  explicit counted_run(resident_options options = {})
      : words(device(), 8), kernel(device(), list, entry, with_blocks(options)) {
    std::ranges::fill(words.span(), 0u);
  }
  static resident_options with_blocks(resident_options options) {
    if (options.blocks == 0) options.blocks = device()->is_cuda() ? 3 : 2;
    return options;
  }
  counting_source source(std::uint32_t each, bool stays) const {
    counting_source source;
    source.control = kernel.next_control();
    source.words = words.data();
    source.each = each;
    source.stays = stays;
    return source;
  }
  void start(std::uint32_t each, bool stays) {
    auto const argument = source(each, stays);
    kernel.start(&argument, sizeof argument);
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
  kernel_code const& entry = list.entry_for(entry_key_of<counting_source>);
  pinned_buffer<std::uint32_t> words;
  resident_kernel kernel;
};

inline deadline soon() { return deadline::in(std::chrono::minutes(1)); }

}  // namespace ballast::test
