// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "launch/bare_cuda.hpp"
#include "launch/benchmarks.hpp"
#include "launch/one_block_work.hpp"
#include "launch/queue_counts.hpp"
#include "launch/queued_work.hpp"
#include "launch/stream_set.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t lines = 16;  ///< streams, or launch streams, as in the paper

/// Kernels in groups of a given size, each group in one stream.
struct grouped {
  std::size_t kernels, group;
  std::size_t line_of(std::size_t kernel) const { return kernel / group % lines; }
  /// Equation 1: the bound on the speed-up with one hardware queue.
  double bound() const {
    auto const groups = (kernels + group - 1) / group;
    return std::min(double(lines), double(kernels) / double(kernels - groups + 1));
  }
};

double seconds_on(stream_set& streams, one_block_work& work, grouped const& all) {
  return seconds_of([&] {
    for (std::size_t i = 0; i < all.kernels; ++i) work.launch(streams[all.line_of(i)], i);
    streams.synchronize();
  });
}

double seconds_in(queued_work& queue, one_block_work& work, grouped const& all) {
  return queue.from_resume([&] {
    for (std::size_t i = 0; i < all.kernels; ++i) work.submit(queue[all.line_of(i)], i);
  });
}

void measure_work(session& now, one_block_work& work) {
  std::vector<std::uint32_t> const once(work.items(), 1);
  stream_set streams(*now.first(), lines);
  queued_work in_order({now.first()}, "passthrough", lines, lines);
  queued_work in_turns({now.first()}, "round_robin", lines, lines);
  auto const samples = [&](std::function<double()> const& run) {
    return checked_seconds(now, work, once, now.record().repetitions, run);
  };
  now.add("serial, " + work.name(), "s", samples([&] {
            return seconds_on(streams, work, {work.items(), work.items()});
          }));
  auto const serial = now.median_of("serial, " + work.name());
  for (std::size_t group = 1; group <= 8; ++group) {
    grouped const all{work.items(), group};
    auto const add = [&](std::string const& way, std::function<double()> const& run) {
      add_speedups(now, way + ", " + work.name(), double(group), serial, samples(run));
    };
    add("16 streams by one thread", [&] { return seconds_on(streams, work, all); });
    add("passthrough, queue", [&] { return seconds_in(in_order, work, all); });
    add("round_robin, queue", [&] { return seconds_in(in_turns, work, all); });
    now.add("equation 1, " + work.name(), double(group), "1", {all.bound()});
  }
  record_queue(now, "passthrough, queue, " + work.name(), in_order.statistics());
  record_queue(now, "round_robin, queue, " + work.name(), in_turns.statistics());
}

}  // namespace

/// Figure 2 of Wende et al. 2012. Their bound uses the multiprocessors of a Tesla M2090, which were as many
/// as the streams; here the streams are fewer and take their place.
void measure_breakdown(session& now) {
  now.axes("Kernels of one block in groups on 16 streams, against one stream", "kernels of a group",
           "times serial", false, true);
  record_works(now);
  now.parameter("streams or producers", lines);
  enter_device(*now.first());
  for (auto const& work : both_works(now, now.first(), 128)) measure_work(now, *work);
}

}  // namespace ballast::bench
