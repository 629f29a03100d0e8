// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "ballast/completion.hpp"

namespace ballast::detail {

/// The rest of a run when its owner goes: the work that never ended, and why.
struct run_outcome {
  std::function<bool(completion_key const&)> has_ended_well;
  std::exception_ptr why_not;
};

/// Lets completions outlive the owner of a source without counting references, for owners that take work
/// millions of times a second. The owner begins a run, and completions name the run; the object stays until
/// the process ends and serves one run after the other. What stays for good is the outcome of a run in which
/// not all work ended well.
class source_run final : public completion_source {
 public:
  /// Begins a run with a number of its own among all of the process, from 1. `owner` answers until end().
  static source_run& begin(completion_source& owner);
  /// The run is over: waits until nobody asks the owner any more, and leaves the outcome, if there is one.
  /// Release waiting threads first.
  void end(std::unique_ptr<run_outcome const> outcome);

  std::uint64_t run() const { return run_.load(std::memory_order_relaxed); }
  /// The completion of this run's work.
  completion completion_of(std::uint64_t first, std::uint32_t count = 1, std::uint32_t place = 0) {
    return completion_of_run(run(), first, count, place);
  }
  /// The completion of work of a run that may be over by now.
  completion completion_of_run(std::uint64_t number, std::uint64_t first, std::uint32_t count = 1,
                               std::uint32_t place = 0) {
    return {std::shared_ptr<completion_source>(std::shared_ptr<void>(), this), {number, first, count, place}};
  }
  /// Whether this run's owner gave it.
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
