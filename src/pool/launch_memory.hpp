// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "pool_executor.hpp"

namespace ballast::inline pool {

/// What a launch begins with.
struct launch_head {
  static constexpr std::uint32_t few = 32;

  pool_words words;
  stored_task waiting[few];
};

/// What a launch takes from the host and gives back to it, in one piece of memory on each side, so that it
/// costs one copy each way: a launch_head, and behind it each worker's report. No member waits.
class launch_memory {
 public:
  launch_memory(std::shared_ptr<compute_device> device, std::uint32_t workers);

  std::size_t bytes() const { return there_.bytes(); }
  /// So many tasks are pending; they are put into the head if they are few. What was given before must have
  /// been copied.
  void give(stream& on, std::span<stored_task const> waiting);
  /// Needed where not every worker reports.
  void clear_reports(stream& on);
  void read_back(stream& on);

  /// On the device.
  pool_words* words() const { return &head(there_.data())->words; }
  stored_task const* waiting() const { return head(there_.data())->waiting; }
  worker_report* reports() const { return behind_head(there_.data()); }
  /// What the last read_back() has brought; zero before.
  launch_head const& here() const { return *head(here_.data()); }
  std::span<worker_report const> reports_here() const { return {behind_head(here_.data()), workers_}; }

 private:
  static launch_head* head(std::byte* at) { return reinterpret_cast<launch_head*>(at); }
  static worker_report* behind_head(std::byte* at) {
    return reinterpret_cast<worker_report*>(at + sizeof(launch_head));
  }

  std::uint32_t workers_;
  device_buffer<std::byte> there_;
  pinned_buffer<std::byte> here_;
};

}  // namespace ballast::inline pool
