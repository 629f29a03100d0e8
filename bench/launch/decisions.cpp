// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ballast/launch_queue.hpp"
#include "launch/benchmarks.hpp"
#include "launch_plan.hpp"

namespace ballast::bench {
using namespace detail;
namespace {

constexpr std::size_t streams = 64;
constexpr std::uint32_t connections = 8;

/// A plan with a constant number of waiting launch streams, each with an equal kernel of one block.
class crowded_plan {
 public:
  crowded_plan(std::string const& order, std::string const& merge, std::uint32_t producers)
      : plan_(make_order_policy(order, "fifo", connections),
              merge == "none" ? nullptr : make_merge_policy(merge), {family}, costs),
        in_flight_(streams) {
    for (std::uint32_t p = 0; p < producers; ++p) offer(p);
  }

  /// Makes a decision. Launch streams whose launches were chosen offer their next ones. False if nothing was
  /// chosen.
  bool decide() {
    auto const* const chosen = plan_.next(in_flight_);
    if (chosen == nullptr) return false;
    for (auto const launch_stream : chosen->launch_streams) offer(launch_stream);
    kernels_ += chosen->launch_streams.size();
    return true;
  }
  std::uint64_t kernels() const { return kernels_; }

 private:
  static constexpr family_facts family{.blocks_per_multiprocessor = 8, .max_kernels = 160};
  static constexpr launch_costs costs{
      .multiprocessors = multiprocessor_count(132), .start_ns = 1400, .issue_ns = 4400};

  void offer(std::uint32_t launch_stream) {
    plan_.offer({.order = {.launch_stream = launch_stream, .submitted = submitted_++, .expected_ns = 50'000},
                 .is_listed = true,
                 .kernel = {.blocks_per_multiprocessor = 8, .block_ns = 50'000, .argument_bytes = 32}});
  }

  launch_plan plan_;
  std::vector<std::uint32_t> in_flight_;  // always empty, so that every waiting launch may be issued
  std::uint64_t submitted_ = 0, kernels_ = 0;
};

/// Nanoseconds per decision, averaged over a run of decisions.
double ns_of(session& now, crowded_plan& plan, std::size_t decisions) {
  bool all = true;
  auto const seconds = seconds_of([&] {
    for (std::size_t i = 0; i < decisions; ++i) all &= plan.decide();
  });
  now.verify(all, "every decision named launches that waited");
  return seconds * 1e9 / double(decisions);
}

}  // namespace

/// Not from a paper. Measures the issuing thread's time for decisions. No device takes part.
void measure_decisions(session& now) {
  now.axes("Deciding which launches are next", "producers that wait", "ns per decision", true, true);
  now.parameter("streams", streams);
  now.parameter("connections of the policy", connections);
  auto const decisions = now.size(1000, 50);
  for (auto const& order : order_policies())
    for (std::string const merge : {"none", "together"})
      for (std::uint32_t const producers : {64u, 256u, 1024u, 4096u}) {
        auto const curve = std::string(order.name) + (merge == "none" ? "" : " and merging");
        crowded_plan plan(std::string(order.name), merge, producers);
        now.measure(curve, producers, "ns", [&] { return ns_of(now, plan, decisions); });
        auto const made = double(decisions * (now.record().warm_up + now.record().repetitions));
        now.derived(curve + ".kernels_of_a_decision@" + std::to_string(producers),
                    double(plan.kernels()) / made);
      }
}

}  // namespace ballast::bench
