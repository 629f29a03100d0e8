// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "kernels.cuh"
#include "test_devices.hpp"

namespace ballast::test {
using namespace detail;

inline device_list first_device() { return {devices().front()}; }

/// Words in pinned memory that all devices and the host see, zero at first.
class shared_words {
 public:
  explicit shared_words(std::size_t size) : words_(devices().front(), size) {
    std::ranges::fill(words_.span(), 0u);
  }
  array_ref<std::uint32_t> ref() const { return array_ref<std::uint32_t>(words_.data()); }
  std::uint32_t& operator[](std::size_t i) const { return words_[i]; }
  std::vector<std::uint32_t> read() const { return {words_.span().begin(), words_.span().end()}; }
  void open() const { std::atomic_ref(words_[0]).store(1, std::memory_order_release); }

 private:
  pinned_buffer<std::uint32_t> words_;
};

}  // namespace ballast::test
