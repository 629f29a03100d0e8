// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/queue/feed_policy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "ballast/balanced_queue.hpp"
#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Keeps slightly more tasks waiting on the device than it begins between two feeds, at its measured rate. It
/// keeps no more there, since waiting tasks cannot move to another device. Near the end it gives only a share
/// of the rest (guided self-scheduling), so that a fast first feeder does not take all. A few short tasks for
/// each worker are not enough if workers are few: feeding a core interrupts it.
class rate_policy : public feed_policy {
 public:
  feed_decision decide(feed_view const& view) override {
    learn(view);
    if (view.backlog > 0 && view.kernel != kernel_) turn_to(view);
    auto const waiting = view.given - view.taken;
    auto const depth = wanted_depth(view);
    feed_decision decision;
    if (waiting <= depth / 2)
      decision.tasks = std::uint32_t(std::min(room(view, waiting, depth), share(view)));
    auto const given = view.given + decision.tasks;
    decision.wake_at_taken = given - std::min(given, depth / 2);
    return decision;
  }

 private:
  /// The time of a view, and the tasks that the device had begun by then.
  struct seen {
    std::int64_t at_ns = 0;
    std::uint64_t taken = 0, idle = 0;
  };

  void learn(feed_view const& view) {
    bool const has_run_dry = view.given == view.taken;
    if (has_run_dry) learn_from_drought(view);
    last_ = {view.now_ns, view.taken, view.idle()};
    auto const elapsed = view.now_ns - since_.at_ns;
    auto const drained = view.taken - std::min(view.taken, since_.taken);
    if (elapsed < view.feed_latency_ns || drained == 0) return;
    double const rate = double(drained) / double(elapsed);
    auto& known = tasks_per_ns_[kernel_];
    if (since_.at_ns != 0 && !(has_run_dry && rate < known)) known = known == 0 ? rate : 0.5 * (known + rate);
    since_ = last_;
  }

  /// A device that began all its tasks is faster than assumed. The new estimate counts the tasks that its
  /// workers began after their first ones, and at most doubles: one task may be much shorter than the others.
  void learn_from_drought(feed_view const& view) {
    auto const drained = view.taken - std::min(view.taken, last_.taken + last_.idle);
    if (drained == 0 || last_.at_ns == 0) return;
    double const rate = double(drained) / double(std::max<std::int64_t>(view.now_ns - last_.at_ns, 1));
    auto& known = tasks_per_ns_[kernel_];
    double const twice = 2 * std::max(known, 1.0 / double(view.feed_latency_ns));
    known = std::max(known, std::min(rate, twice));
  }

  /// Turns to the view's kernel. If no task of the last kernel is in progress, the measurement starts anew,
  /// since that kernel's times do not help to predict the next tasks. Otherwise both kernels run in turn, and
  /// a kernel of unknown rate takes the rate of the other.
  void turn_to(feed_view const& view) {
    if (view.given == view.finished)
      since_ = last_;
    else
      tasks_per_ns_.try_emplace(view.kernel, tasks_per_ns_[kernel_]);
    kernel_ = view.kernel;
  }

  std::uint64_t wanted_depth(feed_view const& view) {
    auto const drained_in_a_feed =
        std::uint64_t(std::ceil(2.0 * tasks_per_ns_[kernel_] * double(view.feed_latency_ns)));
    auto const most = std::max<std::uint64_t>(4ull * view.workers, most_of_few_workers);
    return std::clamp<std::uint64_t>(drained_in_a_feed, std::max(1u, view.workers / 8), most);
  }

  /// The most tasks to give now: one for each idle worker, and further tasks that may wait here, unless idle
  /// workers elsewhere could begin them.
  static std::uint64_t room(feed_view const& view, std::uint64_t waiting, std::uint64_t depth) {
    auto const idle_anywhere = view.idle() + view.idle_elsewhere;
    auto const spare = view.backlog - std::min(view.backlog, idle_anywhere);
    return view.idle() + std::min(depth - waiting, spare);
  }

  static std::uint64_t share(feed_view const& view) {
    if (view.devices == 1) return view.backlog;
    return std::min(view.backlog, divide_up(view.backlog, 2ull * view.devices));
  }

  static constexpr std::uint64_t most_of_few_workers = 64;

  std::uint32_t kernel_ = 0;                      ///< the kernel of the tasks that were given last
  std::map<std::uint32_t, double> tasks_per_ns_;  ///< rates of beginning tasks, by kernel
  seen last_, since_;
};

/// A rate_policy that gives each device a part of every batch first. Suits tasks whose data lies next to the
/// data of neighbouring tasks.
class parts_policy final : public rate_policy {
 public:
  bool partitions_batches() const override { return true; }
};

/// Chen et al. 2010: two queues of `batch` tasks; an empty one is filled again.
class fixed_policy final : public feed_policy {
 public:
  explicit fixed_policy(std::uint32_t batch) : batch_(batch) {}

  feed_decision decide(feed_view const& view) override {
    auto const waiting = view.given - view.taken;
    feed_decision decision;
    if (waiting <= batch_) decision.tasks = std::uint32_t(std::min<std::uint64_t>(view.backlog, batch_));
    auto const given = view.given + decision.tasks;
    decision.wake_at_taken = given - std::min<std::uint64_t>(given, batch_);
    return decision;
  }

 private:
  std::uint32_t batch_;
};

using feed_policy_maker = std::unique_ptr<feed_policy> (*)(std::uint32_t fixed_batch);

template <class Policy>
std::unique_ptr<feed_policy> make_feed(std::uint32_t) {
  return std::make_unique<Policy>();
}
std::unique_ptr<feed_policy> make_fixed(std::uint32_t batch) {
  if (batch < 1) throw_bad_argument("fixed_batch", batch, "at least 1");
  return std::make_unique<fixed_policy>(batch);
}

constexpr registry_entry<feed_policy_maker> feed_policy_choices[] = {
    {{"rate", "as many as the device was seen to begin between two feeds (the default)"},
     &make_feed<rate_policy>},
    {{"parts", "as rate, and each device begins in a part of the batch of its own (Markatos, LeBlanc 1994)"},
     &make_feed<parts_policy>},
    {{"fixed", "`fixed_batch` at a time whenever so many or fewer wait (Chen et al. 2010)"}, &make_fixed}};

}  // namespace

std::unique_ptr<feed_policy> make_feed_policy(std::string_view name, std::uint32_t fixed_batch) {
  return find(feed_policy_choices, "policy", name)(fixed_batch);
}

}  // namespace ballast::detail

std::vector<ballast::named_policy> ballast::feed_policies() {
  return detail::descriptions(detail::feed_policy_choices);
}
