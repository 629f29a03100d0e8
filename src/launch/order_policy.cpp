// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/order_policy.hpp"

#include <algorithm>
#include <string>

#include "ballast/base/error.hpp"
#include "choice.hpp"
#include "order_key.hpp"

namespace ballast::inline launch {
namespace {

std::uint32_t emptiest_stream(std::span<std::uint32_t const> in_flight) {
  return static_cast<std::uint32_t>(std::ranges::min_element(in_flight) - in_flight.begin());
}

std::uint64_t as_submitted(waiting_launch const& launch) { return launch.submitted; }

/// A stream per producer, as if each thread launched itself. With more producers than streams some share one.
class passthrough_policy final : public order_policy {
 public:
  explicit passthrough_policy(order_key key) : key_(key) {}

 private:
  std::optional<order_decision> choose(order_view const& view) override {
    auto const anyone = [](waiting_launch const&) { return true; };
    auto const next = most_urgent(key_, view.waiting, anyone, as_submitted);
    if (!next) return std::nullopt;
    auto const streams = static_cast<std::uint32_t>(view.in_flight.size());
    auto const& launch = view.waiting[*next];
    return order_decision{*next, launch.predecessor_on.value_or(launch.producer % streams)};
  }

  order_key key_;
};

/// The consumer of Wende, Cordes and Steinke 2012: rounds over the producers, one launch of each that has
/// any.
class round_robin_policy final : public order_policy {
 public:
  explicit round_robin_policy(order_key key) : key_(key) {}

 private:
  std::optional<order_decision> choose(order_view const& view) override {
    if (view.waiting.empty()) return std::nullopt;
    auto next = next_of_round(view);
    if (!next) {
      visited_.clear();
      next = next_of_round(view);
    }
    auto const& launch = view.waiting[*next];
    note_visit(launch.producer);
    return order_decision{*next, launch.predecessor_on.value_or(emptiest_stream(view.in_flight))};
  }

  std::optional<std::size_t> next_of_round(order_view const& view) const {
    auto const not_visited = [&](waiting_launch const& launch) {
      return launch.producer >= visited_.size() || !visited_[launch.producer];
    };
    auto const by_number = [](waiting_launch const& launch) { return launch.producer; };
    return most_urgent(key_, view.waiting, not_visited, by_number);
  }

  /// Without a key those of lower numbers count as visited too: they had nothing when it was their turn.
  void note_visit(std::uint32_t producer) {
    if (visited_.size() <= producer) visited_.resize(std::size_t{producer} + 1, key_ == order_key::fifo);
    visited_[producer] = true;
  }

  order_key key_;
  std::vector<bool> visited_;  // by producer, in this round
};

/// Issues a launch only when its predecessor is done and a stream is empty, so nothing that is issued waits
/// for another launch.
class held_policy final : public order_policy {
 public:
  explicit held_policy(order_key key) : key_(key) {}

 private:
  std::optional<order_decision> choose(order_view const& view) override {
    auto const stream = emptiest_stream(view.in_flight);
    if (view.in_flight[stream] != 0) return std::nullopt;
    auto const ready = [](waiting_launch const& launch) { return !launch.predecessor_on; };
    auto const next = most_urgent(key_, view.waiting, ready, as_submitted);
    if (!next) return std::nullopt;
    return order_decision{*next, stream};
  }

  order_key key_;
};

template <class Policy>
std::unique_ptr<order_policy> make(order_key key) {
  return std::make_unique<Policy>(key);
}

constexpr choice<std::unique_ptr<order_policy> (*)(order_key)> choices[] = {
    {{"passthrough", "a stream per producer, in the order of submission"}, make<passthrough_policy>},
    {{"round_robin", "one launch of each producer in turn (Wende, Cordes, Steinke 2012)"},
     make<round_robin_policy>},
    {{"held", "a launch only once its predecessor is done, one on each stream"}, make<held_policy>}};

void check(waiting_launch const& launch, std::size_t streams) {
  auto const predecessor = launch.predecessor_on.value_or(0);
  if (predecessor >= streams)
    refuse_argument("predecessor_on", predecessor, "below " + std::to_string(streams));
  if (launch.expected_ns < 0) refuse_argument("expected_ns", launch.expected_ns, "at least 0");
}

}  // namespace

std::optional<order_decision> order_policy::decide(order_view const& view) {
  auto const streams = view.in_flight.size();
  if (streams < 1) refuse_argument("in_flight", streams, "at least 1 stream");
  for (auto const& launch : view.waiting) check(launch, streams);
  return choose(view);
}

std::vector<named_policy> order_policies() { return told(choices); }

std::unique_ptr<order_policy> make_order_policy(std::string_view order, std::string_view among) {
  auto const make_policy = chosen(choices, "order", order);
  return make_policy(order_key_named(among));
}

}  // namespace ballast::inline launch
