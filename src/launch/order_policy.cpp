// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/order_policy.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/detail/base/policy_registry.hpp"
#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"

namespace ballast::detail {
namespace {

enum class order_key { fifo, priority };

constexpr registry_entry<order_key> key_choices[] = {
    {{"fifo", "as the policy orders them (the default)"}, order_key::fifo},
    {{"priority", "the highest priority first; what has a low one may wait forever"}, order_key::priority}};

/// The value by which `key` orders; larger goes first.
std::int64_t urgency(order_key key, waiting_launch const& launch) {
  return key == order_key::priority ? launch.priority : 0;
}

/// The index of the most urgent launch that `may` be issued; among equals the one with the least `turn`;
/// nothing if none may.
std::optional<std::size_t> most_urgent(order_key key, std::span<waiting_launch const> waiting, auto may,
                                       auto turn) {
  std::optional<std::size_t> best;
  using rank = std::pair<std::int64_t, decltype(turn(waiting.front()))>;  // the least is first
  rank first{};
  for (std::size_t place = 0; place < waiting.size(); ++place) {
    if (!may(waiting[place])) continue;
    rank const own(-urgency(key, waiting[place]), turn(waiting[place]));
    if (best && !(own < first)) continue;
    best = place;
    first = own;
  }
  return best;
}

std::uint32_t emptiest_stream(std::span<std::uint32_t const> in_flight) {
  return static_cast<std::uint32_t>(std::ranges::min_element(in_flight) - in_flight.begin());
}

std::uint64_t as_submitted(waiting_launch const& launch) { return launch.submitted; }

/// A stream per launch stream, as if each thread launched itself. If there are fewer streams, some are
/// shared.
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
    return order_decision{*next, launch.predecessor_on.value_or(launch.launch_stream % streams)};
  }

  order_key key_;
};

/// The consumer of Wende, Cordes and Steinke 2012: rounds over the launch streams, with one launch from each
/// that has any.
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
    mark_visited(launch.launch_stream);
    return order_decision{*next, launch.predecessor_on.value_or(emptiest_stream(view.in_flight))};
  }

  std::optional<std::size_t> next_of_round(order_view const& view) const {
    auto const not_visited = [&](waiting_launch const& launch) {
      return launch.launch_stream >= visited_.size() || !visited_[launch.launch_stream];
    };
    auto const by_number = [](waiting_launch const& launch) { return launch.launch_stream; };
    return most_urgent(key_, view.waiting, not_visited, by_number);
  }

  /// Marks the launch stream as visited in this round. Without a key, those of lower numbers count as visited
  /// too: they had nothing when it was their turn.
  void mark_visited(std::uint32_t launch_stream) {
    if (visited_.size() <= launch_stream)
      visited_.resize(std::size_t{launch_stream} + 1, key_ == order_key::fifo);
    visited_[launch_stream] = true;
  }

  order_key key_;
  std::vector<bool> visited_;  // by launch stream, in this round
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

/// Queues a launch after its predecessor if that holds up no other: while every stream in use has a hardware
/// queue of its own, or all launches take about equally long. Otherwise it holds the launch back. Launches
/// with the fewest before them go first, and among these the launch stream that was served longest ago, which
/// runs dry first. Ordering by age alone would give the chains submitted first their next launch as soon as
/// one of theirs ends, before the others have their second.
class adaptive_policy final : public order_policy {
 public:
  adaptive_policy(order_key key, std::uint32_t connections) : key_(key), connections_(connections) {}

 private:
  /// Enough that a device that starts launches faster than the host issues them does not run dry.
  static constexpr std::uint32_t max_depth = 8;

  std::optional<order_decision> choose(order_view const& view) override {
    auto const stream = emptiest_stream(view.in_flight);
    bool const holds_up = streams_wanted(view) > connections_ && lengths_differ(view.waiting);
    auto const deepest = holds_up ? 1 : max_depth;
    auto const ahead = [&](waiting_launch const& launch) {
      return launch.predecessor_on ? view.in_flight[*launch.predecessor_on] : view.in_flight[stream];
    };
    auto const may = [&](waiting_launch const& launch) { return ahead(launch) < deepest; };
    auto const turn = [&](waiting_launch const& launch) {
      return std::tuple(ahead(launch), served_at(launch.launch_stream), launch.submitted);
    };
    auto const next = most_urgent(key_, view.waiting, may, turn);
    if (!next) return std::nullopt;
    mark_served(view.waiting[*next].launch_stream);
    return order_decision{*next, view.waiting[*next].predecessor_on.value_or(stream)};
  }

  /// The number of the decision for this launch stream's last launch, 0 if there was none.
  std::uint64_t served_at(std::uint32_t launch_stream) const {
    return launch_stream < served_at_.size() ? served_at_[launch_stream] : 0;
  }
  void mark_served(std::uint32_t launch_stream) {
    if (served_at_.size() <= launch_stream) served_at_.resize(std::size_t{launch_stream} + 1);
    served_at_[launch_stream] = ++decisions_;
  }

  /// The streams in use, and one more for each launch without a predecessor.
  static std::size_t streams_wanted(order_view const& view) {
    auto const in_use = [](std::uint32_t launches) { return launches != 0; };
    auto const follows_none = [](waiting_launch const& launch) { return !launch.predecessor_on; };
    return std::size_t(std::ranges::count_if(view.in_flight, in_use) +
                       std::ranges::count_if(view.waiting, follows_none));
  }

  /// True if the known lengths differ by more than a factor of two.
  static bool lengths_differ(std::span<waiting_launch const> waiting) {
    std::int64_t shortest = 0, longest = 0;
    for (auto const& launch : waiting) {
      if (launch.expected_ns == 0) continue;
      shortest = shortest == 0 ? launch.expected_ns : std::min(shortest, launch.expected_ns);
      longest = std::max(longest, launch.expected_ns);
    }
    return longest > 2 * shortest;
  }

  order_key key_;
  std::uint32_t connections_;
  std::vector<std::uint64_t> served_at_;  // by launch stream
  std::uint64_t decisions_ = 0;
};

template <class Policy>
std::unique_ptr<order_policy> make(order_key key, std::uint32_t) {
  return std::make_unique<Policy>(key);
}
std::unique_ptr<order_policy> make_adaptive(order_key key, std::uint32_t connections) {
  return std::make_unique<adaptive_policy>(key, connections);
}

constexpr registry_entry<std::unique_ptr<order_policy> (*)(order_key, std::uint32_t)> order_choices[] = {
    {{"passthrough", "a stream per launch stream, in the order of submission"}, make<passthrough_policy>},
    {{"round_robin", "one launch of each launch stream in turn (Wende, Cordes, Steinke 2012)"},
     make<round_robin_policy>},
    {{"held", "a launch only once its predecessor is done, one on each stream"}, make<held_policy>},
    {{"adaptive", "behind its predecessor where that holds up nobody, else held (the default)"},
     make_adaptive},
    {{"resident", "small kernels through rings that resident blocks read, others as adaptive"},
     make_adaptive}};

void check(waiting_launch const& launch, std::size_t streams) {
  auto const predecessor = launch.predecessor_on.value_or(0);
  if (predecessor >= streams)
    throw_bad_argument("predecessor_on", predecessor, "below " + std::to_string(streams));
  if (launch.expected_ns < 0) throw_bad_argument("expected_ns", launch.expected_ns, "at least 0");
}

}  // namespace

std::optional<order_decision> order_policy::decide(order_view const& view) {
  auto const streams = view.in_flight.size();
  if (streams < 1) throw_bad_argument("in_flight", streams, "at least 1 stream");
  for (auto const& launch : view.waiting) check(launch, streams);
  return choose(view);
}

std::unique_ptr<order_policy> make_order_policy(std::string_view order, std::string_view key,
                                                std::uint32_t connections) {
  if (connections < 1) throw_bad_argument("connections", connections, "at least 1");
  auto const make_order = find(order_choices, "order", order);
  return make_order(find(key_choices, "key", key), connections);
}

}  // namespace ballast::detail

std::vector<ballast::named_policy> ballast::order_keys() { return descriptions(detail::key_choices); }

std::vector<ballast::named_policy> ballast::order_policies() { return descriptions(detail::order_choices); }
