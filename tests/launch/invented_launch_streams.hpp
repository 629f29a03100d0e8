// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "ballast/detail/launch/order_policy.hpp"
#include "invented_gpu.hpp"

namespace ballast::test {

using namespace detail;

/// A launch of one block that a launch stream submits at a time.
struct submission {
  std::uint32_t launch_stream = 0;
  std::int64_t duration = 1;
  std::int64_t at = 0;
  std::int32_t priority = 0;
};

/// Lets a policy issue to an invented GPU what launch streams submit. Deterministic; a finished launch is
/// known at once.
class invented_launch_streams {
 public:
  /// Submissions in the order in which they are made, so `at` never falls.
  invented_launch_streams(std::vector<submission> submissions, invented_gpu gpu)
      : submissions_(std::move(submissions)), gpu_(std::move(gpu)) {}

  /// Every run, in the order of their ends; the last one's end is the time that all took.
  std::vector<invented_run> play(order_policy& policy) {
    std::int64_t time = 0;
    do {
      gpu_.advance_to(time);
      while (submitted_ < submissions_.size() && submissions_[submitted_].at <= time) submit();
      while (auto const decision = policy.decide({waiting(), gpu_.in_flight()})) carry_out(*decision);
      time = std::min(gpu_.next_end(), next_submission());
    } while (time != invented_gpu::never);
    return gpu_.finished();
  }

 private:
  struct launch_stream_state {
    std::deque<std::size_t> waiting;  // places in submissions_
    std::size_t issued = 0;
    std::uint32_t stream = 0;  // of the launch issued last
  };

  std::int64_t next_submission() const {
    return submitted_ < submissions_.size() ? submissions_[submitted_].at : invented_gpu::never;
  }

  void submit() {
    lines_[submissions_[submitted_].launch_stream].waiting.push_back(submitted_);
    ++submitted_;
  }

  std::span<waiting_launch const> waiting() {
    for (; counted_ < gpu_.finished().size(); ++counted_)
      ++finished_[gpu_.finished()[counted_].kernel.launch_stream];
    heads_.clear();
    for (auto const& [launch_stream, line] : lines_)
      if (!line.waiting.empty()) heads_.push_back(head(launch_stream, line));
    return heads_;
  }

  waiting_launch head(std::uint32_t launch_stream, launch_stream_state const& line) {
    auto const place = line.waiting.front();
    waiting_launch launch{launch_stream, place, submissions_[place].priority, submissions_[place].duration};
    if (line.issued > finished_[launch_stream]) launch.predecessor_on = line.stream;
    return launch;
  }

  void carry_out(order_decision const& decision) {
    ASSERT_LT(decision.launch, heads_.size());
    ASSERT_LT(decision.stream, gpu_.in_flight().size());
    auto const launch_stream = heads_[decision.launch].launch_stream;
    auto& line = lines_[launch_stream];
    auto const place = line.waiting.front();
    line.waiting.pop_front();
    line.stream = decision.stream;
    gpu_.issue({launch_stream, line.issued++, submissions_[place].duration}, decision.stream);
  }

  std::vector<submission> submissions_;
  invented_gpu gpu_;
  std::map<std::uint32_t, launch_stream_state> lines_;
  std::map<std::uint32_t, std::size_t> finished_;
  std::vector<waiting_launch> heads_;
  std::size_t submitted_ = 0, counted_ = 0;
};

}  // namespace ballast::test
