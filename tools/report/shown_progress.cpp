// SPDX-License-Identifier: Apache-2.0
#include "report/shown_progress.hpp"

#include <utility>

#include "ballast/start_threads.hpp"

namespace ballast {

shown_progress::shown_progress(progress shown, std::function<std::uint64_t()> done, clock::duration quiet)
    : shown_(std::move(shown)), done_(std::move(done)), quiet_(quiet), thread_(started()) {}

shown_progress::~shown_progress() = default;

std::jthread shown_progress::started() {
  blocked_signals const of_that_thread;
  return std::jthread([this](std::stop_token const& end) {
    name_thread("ballast-shown");
    show(end);
  });
}

void shown_progress::show(std::stop_token const& end) {
  if (ends_within(end, quiet_)) return;
  do shown_.update(done_());
  while (!ends_within(end, std::chrono::milliseconds(100)));
  shown_.update(done_());
  shown_.finish();
}

bool shown_progress::ends_within(std::stop_token const& end, clock::duration time) {
  std::unique_lock hold(mutex_);
  return sleep_.wait_for(hold, end, time, [&] { return end.stop_requested(); });
}

}  // namespace ballast
