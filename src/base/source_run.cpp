// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/base/source_run.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace ballast::detail {
namespace {

/// Never destroyed, since completions may be queried until the process ends.
struct all_runs {
  std::mutex mutex;
  std::deque<source_run> objects;
  std::vector<source_run*> free;
  std::uint64_t last_run = 0;

  std::shared_mutex outcomes_mutex;
  std::map<std::uint64_t, std::unique_ptr<run_outcome const>> outcomes;

  run_outcome const* outcome_of(std::uint64_t run) {
    std::shared_lock const hold(outcomes_mutex);
    auto const found = outcomes.find(run);
    return found == outcomes.end() ? nullptr : found->second.get();  // is never erased
  }
};

all_runs& runs() {
  static auto* const instance = new all_runs;
  return *instance;
}

}  // namespace

/// Keeps the owner alive. Sequential consistency: either end() sees the visitor, or the visitor sees that the
/// run has ended.
class source_run::visit {
 public:
  visit(source_run const& of, std::uint64_t run) : of_(of) {
    of_.visitors_.fetch_add(1, std::memory_order_seq_cst);
    if (of_.run_.load(std::memory_order_seq_cst) == run) owner_ = of_.owner_;
  }
  ~visit() { of_.visitors_.fetch_sub(1, std::memory_order_release); }
  visit& operator=(visit&&) = delete;

  /// The owner of the run; null if the run has ended.
  completion_source* owner() const { return owner_; }

 private:
  source_run const& of_;
  completion_source* owner_ = nullptr;
};

source_run& source_run::begin(completion_source& owner) {
  auto& all = runs();
  std::lock_guard const hold(all.mutex);
  if (all.free.empty()) all.free.push_back(&all.objects.emplace_back());
  auto& given = *all.free.back();
  all.free.pop_back();
  given.owner_ = &owner;
  if (given.process_.is_parent()) given.process_ = {};  // else other threads may be reading it
  given.run_.store(++all.last_run, std::memory_order_seq_cst);
  return given;
}

void source_run::end(std::unique_ptr<run_outcome const> outcome) {
  auto& all = runs();
  if (outcome != nullptr) {
    std::lock_guard const hold(all.outcomes_mutex);
    all.outcomes.emplace(run(), std::move(outcome));
  }
  run_.store(0, std::memory_order_seq_cst);
  while (visitors_.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
  owner_ = nullptr;
  std::lock_guard const hold(all.mutex);
  all.free.push_back(this);
}

bool source_run::has_ended(completion_key const& work) {
  visit const asked(*this, work.run);
  return asked.owner() == nullptr || asked.owner()->has_ended(work);
}

void source_run::wait(completion_key const& work, deadline until) {
  {
    visit const asked(*this, work.run);
    if (asked.owner() != nullptr) return asked.owner()->wait(work, until);
  }
  auto const* const left = runs().outcome_of(work.run);
  if (left != nullptr && !left->has_ended_well(work)) std::rethrow_exception(left->why_not);
}

clock::duration source_run::timeout(completion_key const& work) const {
  visit const asked(*this, work.run);
  return asked.owner() == nullptr ? default_timeout : asked.owner()->timeout(work);
}

bool source_run::needs_no_launch(completion_key const& work) {
  visit const asked(*this, work.run);
  return asked.owner() == nullptr || asked.owner()->needs_no_launch(work);
}

bool source_run::notify_at_end(completion_key const& work, std::shared_ptr<end_listener> const& listener) {
  visit const asked(*this, work.run);
  return asked.owner() == nullptr || asked.owner()->notify_at_end(work, listener);
}

std::uint64_t source_run::max_overtaken(completion_key const& work) {
  visit const asked(*this, work.run);
  return asked.owner() == nullptr ? 0 : asked.owner()->max_overtaken(work);
}

}  // namespace ballast::detail
