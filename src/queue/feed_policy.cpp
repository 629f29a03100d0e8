// SPDX-License-Identifier: Apache-2.0
#include "ballast/policy/feed.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/error.hpp"

namespace ballast {

using namespace detail;
namespace {

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Keeps a little more waiting on the device than it begins between two feeds, as it was seen to drain. What
/// waits on a device can no longer go to another, so no more than that; and near the end a share of the rest
/// (guided self-scheduling), so that a fast first feeder does not take all.
class drain_policy : public feed_policy {
 public:
  feed_decision decide(feed_view const& view) override {
    learn(view);
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
  void learn(feed_view const& view) {
    auto const elapsed = view.now_ns - seen_at_ns_;
    auto const drained = view.taken - std::min(view.taken, seen_taken_);
    if (elapsed < view.feed_latency_ns || drained == 0) return;
    double const rate = double(drained) / double(elapsed);
    tasks_per_ns_ = seen_at_ns_ == 0 ? 0 : tasks_per_ns_ == 0 ? rate : 0.5 * (tasks_per_ns_ + rate);
    seen_at_ns_ = view.now_ns;
    seen_taken_ = view.taken;
  }

  std::uint64_t wanted_depth(feed_view const& view) const {
    auto const drained_in_a_feed =
        std::uint64_t(std::ceil(2.0 * tasks_per_ns_ * double(view.feed_latency_ns)));
    return std::clamp<std::uint64_t>(drained_in_a_feed, std::max(1u, view.workers / 8), 4ull * view.workers);
  }

  /// Idle workers are fed at once. What they leave may wait here, but not what idle workers elsewhere could
  /// begin.
  static std::uint64_t room(feed_view const& view, std::uint64_t waiting, std::uint64_t depth) {
    auto const idle_anywhere = view.idle() + view.idle_elsewhere;
    auto const spare = view.backlog - std::min(view.backlog, idle_anywhere);
    return view.idle() + std::min(depth - waiting, spare);
  }

  static std::uint64_t share(feed_view const& view) {
    if (view.devices == 1) return view.backlog;
    return std::min(view.backlog, divide_up(view.backlog, 2ull * view.devices));
  }

  double tasks_per_ns_ = 0;
  std::int64_t seen_at_ns_ = 0;
  std::uint64_t seen_taken_ = 0;
};

/// For tasks that work on what lies beside the data of their neighbours in the batch.
class parts_policy final : public drain_policy {
 public:
  bool partitions_batches() const override { return true; }
};

/// Chen et al. 2010: two queues of `batch` tasks; whenever one has become empty it is filled again.
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
    {{"drain", "as many as the device was seen to begin between two feeds (the default)"},
     &make_feed<drain_policy>},
    {{"parts", "as drain, and each device begins in a part of the batch of its own (Markatos, LeBlanc 1994)"},
     &make_feed<parts_policy>},
    {{"fixed", "`fixed_batch` at a time whenever so many or fewer wait (Chen et al. 2010)"}, &make_fixed}};

}  // namespace

std::vector<named_policy> feed_policies() { return descriptions(feed_policy_choices); }

std::unique_ptr<feed_policy> make_feed_policy(std::string_view name, std::uint32_t fixed_batch) {
  return find(feed_policy_choices, "policy", name)(fixed_batch);
}

}  // namespace ballast
