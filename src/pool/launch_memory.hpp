// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "ballast/detail/pool/launch_epilogue.cuh"
#include "pool_executor.hpp"

namespace ballast::detail {

/// What the workers of a launch have in common, and each worker's report behind it, in one piece of memory on
/// the device and one on the host. No member waits.
class launch_memory {
 public:
  launch_memory(std::shared_ptr<compute_device> device, std::uint32_t workers);

  std::size_t bytes() const { return there_.bytes(); }
  /// Before a launch: the words are clear.
  void begin(stream& on);
  /// Behind a launch on a GPU; `code` is that of launch_epilogue.
  void end(stream& on, kernel_code const& code);
  /// Instead of end(), also in the middle.
  void read_back(stream& on);
  /// Needed where not every worker reports.
  void clear_reports(stream& on);

  /// On the device.
  pool_words* words() const { return words_at(there_.data()); }
  worker_report* reports() const { return behind_words(there_.data()); }
  /// What the last end() or read_back() has brought; zero before.
  pool_words const& words_here() const { return *words_at(here_.data()); }
  std::span<worker_report const> reports_here() const { return {behind_words(here_.data()), workers_}; }

 private:
  using piece = launch_epilogue::piece;

  static pool_words* words_at(piece* at) { return reinterpret_cast<pool_words*>(at); }
  static worker_report* behind_words(piece* at) {
    return reinterpret_cast<worker_report*>(at + sizeof(pool_words) / sizeof(piece));
  }

  std::uint32_t workers_;
  bool is_clear_ = false;  ///< whether the words on the device are, or will be when the stream is there
  device_buffer<piece> there_;
  pinned_buffer<piece> here_;
};

}  // namespace ballast::detail
