// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "ballast/trace.hpp"

namespace ballast::detail {

/// What a published_progress returned, when, and how many tasks ended per second before that.
struct progress_sample {
  work_progress progress = {};
  double rate = 0;
  std::int64_t when_ns = 0;  ///< of ballast::clock
};

/// A sample in memory that processes share. One thread writes, and any number read: never a part of one
/// sample with a part of another, and never waiting for each other. All bytes zero is a memory without a
/// sample.
class progress_memory {
 public:
  static constexpr std::size_t max_devices = 64, max_name = 63;

  /// Called before others know the memory.
  void set_name(std::string const& name) { name.copy(name_.data(), max_name); }
  std::string name() const { return {name_.data(), ::strnlen(name_.data(), max_name)}; }
  /// The first 64 devices are kept.
  void store(progress_sample const& sample) {
    words const from = words_of(sample);
    auto const before = version_.load(std::memory_order_relaxed);
    version_.store(before + 1, std::memory_order_relaxed);
    // Release, so that what reads one of these words reads the odd version too.
    for (std::size_t i = 0; i < from.size(); ++i) words_[i].store(from[i], std::memory_order_release);
    version_.store(before + 2, std::memory_order_release);
  }
  /// The newest sample. Nothing if there was none, or if the writer ended in the middle of one.
  std::optional<progress_sample> load() const {
    constexpr int max_looks = 10'000;
    words to;
    for (int looks = 0; looks < max_looks; ++looks) {
      auto const before = version_.load(std::memory_order_acquire);
      if (before == 0) return {};
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = words_[i].load(std::memory_order_acquire);
      if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) return sample_of(to);
      std::this_thread::yield();
    }
    return {};
  }

 private:
  enum : std::size_t { when, rate, devices, first };  ///< words of a sample, then of the whole
  enum : std::size_t { submitted, done, waiting, oldest, busy, of_one };  ///< and each of its devices
  static constexpr std::size_t size = first + (1 + max_devices) * of_one;
  using words = std::array<std::uint64_t, size>;
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share no locks");

  static void write(work_progress const& one, std::uint64_t* to) {
    to[submitted] = one.submitted;
    to[done] = one.done;
    to[waiting] = one.waiting;
    to[oldest] = std::uint64_t(std::chrono::nanoseconds(one.oldest).count());
    to[busy] = std::bit_cast<std::uint64_t>(one.busy);
  }
  static work_progress read(std::uint64_t const* from) {
    return {.submitted = from[submitted],
            .done = from[done],
            .waiting = from[waiting],
            .oldest = std::chrono::nanoseconds(from[oldest]),
            .busy = std::bit_cast<double>(from[busy])};
  }
  static words words_of(progress_sample const& sample) {
    auto const& all = sample.progress.devices;
    words made{};
    made[when] = std::uint64_t(sample.when_ns);
    made[rate] = std::bit_cast<std::uint64_t>(sample.rate);
    made[devices] = std::min(all.size(), max_devices);
    write(sample.progress, &made[first]);
    for (std::size_t i = 0; i < made[devices]; ++i) write(all[i], &made[first + (1 + i) * of_one]);
    return made;
  }
  static progress_sample sample_of(words const& from) {
    progress_sample made{read(&from[first]), std::bit_cast<double>(from[rate]), std::int64_t(from[when])};
    for (std::size_t i = 0; i < std::min<std::size_t>(from[devices], max_devices); ++i)
      made.progress.devices.push_back(read(&from[first + (1 + i) * of_one]));
    return made;
  }

  std::array<char, max_name + 1> name_;
  std::atomic<std::uint64_t> version_;  ///< odd while a sample is written
  std::array<std::atomic<std::uint64_t>, size> words_;
};

}  // namespace ballast::detail
