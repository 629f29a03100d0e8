// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ballast/deadline.hpp"
#include "ballast/device.hpp"

namespace ballast::soak {

/// What all scenarios did and found. Lost, twice and wrong are to stay 0.
struct soak_counts {
  std::atomic<std::uint64_t> scenarios = 0, tasks = 0, stops = 0, resumes = 0, deadlines = 0, faults = 0;
  std::atomic<std::uint64_t> lost = 0, twice = 0, wrong = 0;

  bool is_sound() const { return lost == 0 && twice == 0 && wrong == 0; }
  std::string line() const;
};

/// One random program: where its decisions come from and where its findings go. One thread draws; any thread
/// may count and tell.
class scenario {
 public:
  /// `devices`: what it may use beside CPU cores of its own choice; empty: nothing.
  scenario(std::uint64_t seed, device_list devices, soak_counts& all_counts)
      : counts(all_counts), seed_(seed), random_(seed), gpus_available_(std::move(devices)) {}

  /// Runs it, and tells what it should not have thrown.
  void run() noexcept;

  /// Evenly, both included.
  std::uint64_t drawn(std::uint64_t least, std::uint64_t most) {
    return least + random_() % (most - least + 1);
  }
  bool one_in(std::uint64_t many) { return drawn(1, many) == 1; }
  template <class Named>
  std::string name_of(Named const& all) {
    return std::string(all[drawn(0, all.size() - 1)].name);
  }
  /// One to `most` devices: CPU cores of unequal speed, and those that were lent, or these alone.
  device_list devices(std::size_t most);
  bool has_gpus() const { return !gpus_available_.empty(); }

  /// Counts words that are less than expected as lost, more as done twice.
  void check_visits(std::span<std::uint32_t const> visits, std::span<std::uint32_t const> expected,
                    std::string_view what);
  void report_failure(std::string_view what);
  void print(std::string_view what) const;

  soak_counts& counts;

 private:
  void choose_room();

  std::uint64_t seed_;
  std::mt19937_64 random_;
  device_list gpus_available_;
  std::string room_ = "none";
};

/// How long anything may take, on a slow machine too.
inline deadline late() { return deadline::in(std::chrono::minutes(3)); }

void soak_queue(scenario& of);
void soak_pool(scenario& of);
void soak_launch(scenario& of);
void soak_job(scenario& of);

}  // namespace ballast::soak
