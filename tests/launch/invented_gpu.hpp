// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace ballast::test {

/// One block that runs for `duration`, launch `number` of its launch stream.
struct invented_kernel {
  std::uint32_t launch_stream = 0;
  std::size_t number = 0;
  std::int64_t duration = 1;
};

struct invented_run {
  invented_kernel kernel;
  std::uint32_t stream;
  std::int64_t begin, end;
};

/// A GPU as Wende, Cordes and Steinke 2012 describe it: each hardware queue begins its kernels in order. The
/// first one waits until its stream is not in use and a multiprocessor is free, and all behind it wait as
/// well. A stream feeds the queue of its number modulo the queues; launching takes no time. Fermi has one
/// queue.
class invented_gpu {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  invented_gpu(std::size_t hardware_queues, std::size_t multiprocessors, std::size_t streams)
      : queues_(hardware_queues), multiprocessors_(multiprocessors), in_use_(streams), in_flight_(streams) {}

  void issue(invented_kernel const& kernel, std::uint32_t stream) {
    ++in_flight_[stream];
    queues_[stream % queues_.size()].push_back({kernel, stream, 0, 0});
    begin_what_can();
  }

  std::int64_t next_end() const {
    std::int64_t first = never;
    for (auto const& run : running_) first = std::min(first, run.end);
    return first;
  }

  /// To a time that is no later than next_end().
  void advance_to(std::int64_t time) {
    now_ = time;
    std::erase_if(running_, [&](invented_run const& run) { return run.end == now_ && (finish(run), true); });
    begin_what_can();
  }

  std::int64_t now() const { return now_; }
  std::vector<std::uint32_t> const& in_flight() const { return in_flight_; }  ///< per stream
  std::vector<invented_run> const& finished() const { return finished_; }     ///< in the order of their ends

 private:
  void begin_what_can() {
    for (auto& queue : queues_)
      while (!queue.empty() && !in_use_[queue.front().stream] && running_.size() < multiprocessors_) {
        begin(queue.front());
        queue.pop_front();
      }
  }

  void begin(invented_run run) {
    in_use_[run.stream] = true;
    run.begin = now_;
    run.end = now_ + run.kernel.duration;
    running_.push_back(run);
  }

  void finish(invented_run const& run) {
    in_use_[run.stream] = false;
    --in_flight_[run.stream];
    finished_.push_back(run);
  }

  std::vector<std::deque<invented_run>> queues_;
  std::size_t multiprocessors_;
  std::vector<bool> in_use_;
  std::vector<std::uint32_t> in_flight_;
  std::vector<invented_run> running_, finished_;
  std::int64_t now_ = 0;
};

}  // namespace ballast::test
