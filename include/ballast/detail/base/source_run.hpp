// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "ballast/completion.hpp"

namespace ballast::detail {

/// The outcome of a run that its owner leaves behind: the work that never ended, and why.
struct run_outcome {
  /// May throw why this work did not end well; returns false for `why_not`.
  std::function<bool(completion_key const&)> has_ended_well;
  std::exception_ptr why_not;
};

/// Lets completions outlive the owner of a source without reference counts, for owners that accept work
/// millions of times a second. The owner begins a run, and completions name the run. The object lives until
/// the process ends and serves one run after another. It keeps the outcome of a run for good if not all of
/// its work succeeded.
class source_run final : public completion_source {
 public:
  /// Begins a run with a number that is unique in the process, from 1. `owner` answers queries until end().
  static source_run& begin(completion_source& owner);
  /// Ends the run: waits until no query of the owner is under way, and keeps the outcome, if there is one.
  /// Release waiting threads first.
  void end(std::unique_ptr<run_outcome const> outcome);

  std::uint64_t run() const { return run_.load(std::memory_order_relaxed); }
  /// The completion of this run's work.
  completion completion_of(std::uint64_t first, std::uint32_t count = 1, std::uint32_t place = 0) {
    return completion_of_run(run(), first, count, place);
  }
  /// The completion of work of a run that may have ended.
  completion completion_of_run(std::uint64_t number, std::uint64_t first, std::uint32_t count = 1,
                               std::uint32_t place = 0) {
    return {std::shared_ptr<completion_source>(std::shared_ptr<void>(), this), {number, first, count, place}};
  }
  /// True if this run's owner gave the completion.
  bool gave(completion const& one) const { return one.source().get() == this && one.work().run == run(); }

  bool has_ended(completion_key const& work) override;
  void wait(completion_key const& work, deadline until) override;
  clock::duration(timeout)(completion_key const& work) const override;
  bool needs_no_launch(completion_key const& work) override;
  bool notify_at_end(completion_key const& work, std::shared_ptr<end_listener> const& listener) override;
  std::uint64_t max_overtaken(completion_key const& work) override;

 private:
  class visit;

  std::atomic<std::uint64_t> run_ = 0;  // 0: none
  mutable std::atomic<std::uint32_t> visitors_ = 0;
  completion_source* owner_ = nullptr;
};

}  // namespace ballast::detail
