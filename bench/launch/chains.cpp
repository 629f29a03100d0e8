// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_queue.hpp"
#include "launch/benchmarks.hpp"
#include "launch/chains_by_hand.hpp"
#include "launch/one_block_work.hpp"
#include "launch/queue_counts.hpp"
#include "launch/queued_chains.hpp"

namespace ballast::bench {
namespace {

struct chain_point {
  int microseconds;         ///< of a kernel
  std::size_t repetitions;  ///< shorter kernels vary more
};

std::vector<chain_point> chain_points(session const& now) {
  if (now.quick()) return {{5, 2}, {50, 2}};
  if (!now.first()->is_cuda()) return {{5, 9}, {50, 5}};
  return {{5, 15}, {50, 9}, {500, 5}};
}

/// One length of kernels: every way compared with the same kernels in one stream.
class measured_chains {
 public:
  measured_chains(session& now, chain_shape const& shape, chain_point const& point)
      : now_(&now), shape_(shape), point_(point), words_(now.first(), shape.chains) {
    shape_.busy_ns = std::uint64_t(point.microseconds) * 1000;
  }

  void by_hand() {
    chains_by_hand chains(now_->first(), words_, shape_);
    auto const seconds = samples([&] { return chains.serial(); });
    now_->add("serial, kernels of " + std::to_string(point_.microseconds) + " us", "s", seconds);
    serial_ = now_->median_of("serial, kernels of " + std::to_string(point_.microseconds) + " us");
    for (auto const& way : chains.ways()) measure(way);
  }

  void by_queue(std::string const& order, std::string const& merge, kernel_kind kind) {
    auto const way = merge == "none" ? order : order + " and merging";
    by_queue(way, {.order = order, .merge = merge}, kind);
  }

 private:
  void by_queue(std::string const& way, launch_options const& options, kernel_kind kind) {
    if (kind == kernel_kind::plain && !now_->first()->is_cuda()) return;
    queued_chains chains({now_->first()}, options, kind, words_, shape_);
    auto const queue =
        std::string(", queue of ") + (kind == kernel_kind::plain ? "plain" : "ballast") + " kernels";
    measure(chains, {way + queue, [&] { return chains.from_resume(); }});
    measure(chains, {way + queue + " fed by threads", [&] { return chains.from_threads(); }});
  }
  void measure(queued_chains const& chains, way_of_launching const& way) {
    auto const before = chains.statistics();
    measure(way);
    record_queue(*now_, way.name + "@" + std::to_string(point_.microseconds), chains.statistics(), before);
  }
  std::vector<double> samples(std::function<double()> const& sample) {
    auto const seconds = now_->samples(warm_up, point_.repetitions, sample);
    now_->verify(words_.counted((warm_up + point_.repetitions) * shape_.length),
                 "every kernel of every chain ran exactly once and no two of a chain at a time");
    return seconds;
  }
  void measure(way_of_launching const& way) {
    add_speedups(*now_, way.name, point_.microseconds, serial_, samples(way.sample));
  }

  /// A queue has tried its modes before the last of these.
  static constexpr std::size_t warm_up = 12;

  session* now_;
  chain_shape shape_;
  chain_point point_;
  chain_words words_;
  double serial_ = 0;
};

json_value repetitions_of(std::vector<chain_point> const& points) {
  json_value::object all;
  for (auto const& point : points)
    all.emplace_back(std::to_string(point.microseconds) + " us", point.repetitions);
  return all;
}

}  // namespace

void measure_chains(session& now) {
  chain_shape const shape{now.size(64, 16), now.size(8, 4)};
  auto const points = chain_points(now);
  now.axes("Chains of kernels of one block, against the same kernels in one stream",
           "length of a kernel, microseconds", "times serial", true, true);
  now.parameter("chains", shape.chains);
  now.parameter("kernels_of_a_chain", shape.length);
  now.parameter("repetitions_by_length", repetitions_of(points));
  now.parameter(
      "clock of the queue",
      "from resume() until all is seen finished; fed by a thread for each chain, from when they go");
  for (auto const& point : points) {
    measured_chains chains(now, shape, point);
    chains.by_hand();
    for (auto const kind : {kernel_kind::plain, kernel_kind::ballast})
      for (auto const& order : order_policies()) chains.by_queue(std::string(order.name), "none", kind);
    for (auto const kind : {kernel_kind::plain, kernel_kind::ballast})
      chains.by_queue(launch_options{}.order, launch_options{}.merge, kind);
  }
}

}  // namespace ballast::bench
