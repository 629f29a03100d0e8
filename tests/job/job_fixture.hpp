// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "job_test_kernels.cuh"
#include "names_of.hpp"

namespace ballast::test {
using namespace detail;

using words = shared_array<std::uint32_t>;
using word_rows = shared_array<std::uint32_t, 2>;

/// The sets of devices that jobs are dealt out to: BALLAST_TEST_DEVICES alone, by default CPU cores.
inline std::vector<std::string> device_sets() {
  if (auto const list = environment("BALLAST_TEST_DEVICES")) return {*list};
  return {"host:1", "host:1,host:1/2", "host:1,host:2,host:1"};
}
/// The first two of them; a CPU core beside one that is alone.
inline device_list two_devices() {
  auto const list = environment("BALLAST_TEST_DEVICES").value_or("host:1,host:1");
  auto devices = open_devices(list);
  if (devices.size() == 1) devices = open_devices(list + ",host:1");
  devices.resize(2);
  return devices;
}

inline std::vector<std::string> policy_names() { return names_of(split_policies()); }

/// Memory that the tests' arrays fit in by far, so that a scheduler does not take a part of the machine's.
inline constexpr std::uint64_t enough_device_bytes = std::uint64_t(1) << 22;

/// All words are written, so that nothing of them is read before.
template <class Array>
void fill_with(Array& array, std::uint32_t value) {
  std::ranges::fill(array.write(), value);
}
template <class Array>
void number(Array& array) {
  auto const all = array.write();
  std::iota(all.begin(), all.end(), 1u);
}
template <class Array>
std::vector<std::uint32_t> values_of(Array const& array) {
  auto const all = array.read();
  return {all.begin(), all.end()};
}

/// Words that all devices see; the kernels behind them wait until it is opened, and need it until they end.
class gate {
 public:
  explicit gate(device_list const& devices) : words_(devices.front(), 2) { words_[0] = words_[1] = 0; }
  array_ref<std::uint32_t> ref() const { return array_ref<std::uint32_t>(words_.data()); }
  void open() const { std::atomic_ref(words_[0]).store(1, std::memory_order_release); }
  /// Until a block is at it.
  void await_arrival() const {
    while (std::atomic_ref(words_[1]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  }

 private:
  pinned_buffer<std::uint32_t> words_;
};

/// A gate for kernels that nobody can await: it is never freed.
inline gate const* gate_for_ever(device_list const& devices) {
  static auto* const kept = new std::deque<gate>;
  return &kept->emplace_back(devices);
}

/// The elements that count_beside touches: none for a task whose blocks lie between.
inline access_map own_beside(std::uint32_t first, std::uint32_t end) {
  return [first, end](map_view const& view) {
    auto const begin = view.part.first, past = view.part.first + view.part.count;
    return region(
        {{std::min(begin, first), std::min(past, first)}, {std::max(begin, end), std::max(past, end)}});
  };
}

/// What mix_rows does, by one thread.
inline std::vector<std::uint32_t> mixed(std::vector<std::uint32_t> const& now, std::uint32_t rows,
                                        std::uint32_t columns) {
  std::vector<std::uint32_t> next(now.size());
  for (std::uint32_t row = 0; row < rows; ++row) {
    auto const begin_of = [&](std::uint32_t of) { return now.data() + std::size_t(of) * columns; };
    auto const* const above = begin_of(row == 0 ? 0 : row - 1);
    auto const* const here = begin_of(row);
    auto const* const below = begin_of(std::min(row + 1, rows - 1));
    auto* const into = next.data() + std::size_t(row) * columns;
    for (std::uint32_t i = 0; i < columns; ++i) into[i] = 3 * above[i] + 5 * here[i] + 7 * below[i];
  }
  return next;
}

/// One step of rows that are mixed; the arrays change places.
inline completion submit_mix(job_scheduler& jobs, word_rows& now, word_rows& next, job_setup setup) {
  auto const rows_of = std::uint32_t(now.size(0)), columns_of = std::uint32_t(now.size(1));
  auto const done =
      jobs.submit(setup, reads(now, neighborhood(1)), writes(next, rows), [=](auto from, auto to) {
        return mix_rows{from, to, rows_of, columns_of};
      });
  std::swap(now, next);
  return done;
}

}  // namespace ballast::test
