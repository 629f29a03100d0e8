// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/balanced_queue.hpp"
#include "ballast/device.hpp"
#include "ballast/task_queue.hpp"
#include "kernels.cuh"
#include "test_devices.hpp"
#include "visit_report.hpp"

namespace ballast::test {
using namespace detail;

inline std::shared_ptr<compute_device> first_device() { return devices().front(); }

/// Options for tests: a timeout long enough for a slow machine under a sanitizer, as many servers as
/// BALLAST_TEST_SERVERS says, and on GPUs as many resident blocks as BALLAST_TEST_BLOCKS says
/// (compute-sanitizer is slow with thousands).
inline queue_options test_options(compute_device const& on = *first_device()) {
  queue_options options;
  options.timeout = std::chrono::minutes(2);
  if (auto const given = environment("BALLAST_TEST_SERVERS"))
    options.servers = {std::uint32_t(std::stoul(*given))};
  // A queue clears memory in proportion: with the usual 8192 sanitizers spent a quarter of the suite's time
  // on that.
  if (!on.is_cuda()) options.capacity = 1024;
  if (on.is_cuda()) options.resident.blocks = std::stoi(environment("BALLAST_TEST_BLOCKS").value_or("0"));
  return options;
}

/// Options of a balanced queue that feeds its devices by this policy.
inline balanced_options balanced_by(std::string policy) {
  balanced_options options;
  options.policy = std::move(policy);
  options.queue = test_options();
  return options;
}

/// Words on a device that start at zero and can be read back.
class counted_words {
 public:
  counted_words(std::shared_ptr<compute_device> on, std::size_t size)
      : stream_(on->make_stream()), words_(on, size) {
    if (size > 0) stream_->fill(words_.data(), 0, words_.bytes());
    stream_->synchronize();
  }
  array_ref<std::uint32_t> ref() const { return array_ref<std::uint32_t>(words_.data()); }
  std::vector<std::uint32_t> read() const {
    std::vector<std::uint32_t> copy(words_.size());
    if (!copy.empty()) stream_->copy(copy.data(), words_.data(), words_.bytes());
    stream_->synchronize();
    return copy;
  }

 private:
  std::unique_ptr<stream> stream_;
  device_buffer<std::uint32_t> words_;
};

/// Words that every device of the list can add to, in pinned memory.
class shared_visits {
 public:
  shared_visits(std::shared_ptr<compute_device> on, std::size_t size) : words_(std::move(on), size) {
    std::ranges::fill(words_.span(), 0u);
  }
  explicit shared_visits(std::size_t size) : shared_visits(first_device(), size) {}
  array_ref<std::uint32_t> ref() const { return array_ref<std::uint32_t>(words_.data()); }
  std::vector<std::uint32_t> read() const { return {words_.span().begin(), words_.span().end()}; }

 private:
  pinned_buffer<std::uint32_t> words_;
};

/// Tasks that hold their workers until open() is called, so that no test needs to guess times.
class gate {
 public:
  explicit gate(std::size_t tasks) : entered_(first_device(), tasks), gate_(first_device(), 1) {
    std::ranges::fill(entered_.span(), 0u);
    gate_[0] = 0;
  }
  ~gate() { open(); }
  wait_at_gate kernel() const {
    return {array_ref<std::uint32_t>(entered_.data()), array_ref<std::uint32_t>(gate_.data())};
  }
  task holder(std::uint32_t index) const { return task(kernel(), {index, 1}); }
  void open() { std::atomic_ref(gate_[0]).store(1, std::memory_order_release); }
  std::size_t inside() const {
    return std::size_t(std::ranges::count_if(entered_.span(), [](auto& word) {
      return std::atomic_ref(word).load(std::memory_order_acquire) != 0;
    }));
  }
  void await_inside(std::size_t tasks) const {
    auto const until = deadline::in(std::chrono::minutes(1));
    while (inside() < tasks && !until.passed()) std::this_thread::yield();
    ASSERT_EQ(inside(), tasks);
  }

 private:
  pinned_buffer<std::uint32_t> entered_, gate_;
};

/// One task per block index 0 .. n - 1.
inline std::vector<task> visits_of(array_ref<std::uint32_t> words, std::uint32_t n) {
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < n; ++i) tasks.emplace_back(count_visit{words}, block_range{i, 1});
  return tasks;
}

}  // namespace ballast::test
