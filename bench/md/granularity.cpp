// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "md/benchmarks.hpp"
#include "md/solution_race.hpp"

namespace ballast::bench {
namespace {

using md::solution;

constexpr std::uint32_t chunk_of_the_paper = 15360;

std::vector<std::uint32_t> chunks(session const& now) {
  if (now.quick()) return {1024, 4096};
  if (!now.first()->is_cuda()) return {512, 1024, 2048, 4096, 8192, chunk_of_the_paper, 30720};
  return {3840, 7680, chunk_of_the_paper, 30720, 61440, 122880, 245760};
}

std::vector<std::uint32_t> tasks(session const& now) {
  if (now.quick()) return {128, 512};
  return {128, 256, 384, 512, 1024, 2048};
}

md::comparison_plan plan_of(session& now, std::vector<solution> solutions) {
  auto const atoms = atoms_for(now, std::size_t(1) << 22, 65536, 16384);
  begin_races(now);
  now.parameter("atoms", atoms);
  return droplet(now, atoms, std::move(solutions));
}

/// Records where the curve of speed-ups is highest.
void derive_best(session& now, std::string const& curve, std::vector<std::uint32_t> const& places) {
  auto const best =
      *std::ranges::max_element(places, {}, [&](std::uint32_t x) { return now.median_of(curve, double(x)); });
  now.derived(curve + ".best_atoms", best);
  now.derived(curve + ".best_speed_up_over_S1", now.median_of(curve, double(best)));
}

}  // namespace

/// Measures S3 by the size of its chunks. S1 and TQ do not depend on the chunk: they run for each chunk to
/// show their variation.
void measure_md_chunk(session& now) {
  now.axes("S3 by the size of its chunks: speed-up over S1, and seconds per step", "atoms of a chunk",
           "speed-up over S1", true);
  auto plan = plan_of(now, {solution::s1, solution::s3, solution::tq});
  for (auto const chunk : chunks(now)) {
    plan.cut.chunk = chunk;
    add_speed_ups_over_s1(now, chunk, race(now, now.devices(), plan));
  }
  derive_best(now, "S3", chunks(now));
}

void measure_md_task(session& now) {
  now.axes("TQ by the size of its tasks: speed-up over S1, and seconds per step", "atoms of a task",
           "speed-up over S1", true);
  auto plan = plan_of(now, {solution::s1, solution::tq});
  for (auto const task : tasks(now)) {
    plan.cut.task = task;
    add_speed_ups_over_s1(now, task, race(now, now.devices(), plan));
  }
  derive_best(now, "TQ", tasks(now));
}

}  // namespace ballast::bench
