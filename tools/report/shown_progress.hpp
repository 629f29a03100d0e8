// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "ballast/deadline.hpp"
#include "report/progress.hpp"

namespace ballast {

/// While it lives, shows the progress of a run that does not report any: a thread asks for it. A run that
/// ends within `quiet` shows nothing.
class shown_progress {
 public:
  /// `done` returns the progress, on a thread of this object.
  shown_progress(progress shown, std::function<std::uint64_t()> done,
                 clock::duration quiet = std::chrono::seconds(2));
  /// Writes the last line.
  ~shown_progress();
  shown_progress(shown_progress const&) = delete;
  shown_progress& operator=(shown_progress const&) = delete;

 private:
  std::jthread started();
  void show(std::stop_token const& end);
  bool ends_within(std::stop_token const& end, clock::duration time);

  progress shown_;
  std::function<std::uint64_t()> done_;
  clock::duration quiet_;
  std::mutex mutex_;
  std::condition_variable_any sleep_;
  std::jthread thread_;  ///< last, since it uses the others
};

}  // namespace ballast
