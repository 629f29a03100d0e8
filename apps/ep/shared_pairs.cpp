// SPDX-License-Identifier: Apache-2.0
#include "shared_pairs.hpp"

#include "gaussian_pairs.cuh"
#include "job_run/timed_runs.hpp"

namespace ballast::ep {

shared_pairs::shared_pairs(job_scheduler& of, std::uint32_t log2_pairs)
    : jobs_(of),
      cut_(log2_pairs),
      sx_(of, {blocks()}, "sx"),
      sy_(of, {blocks()}, "sy"),
      counts_(of, {std::size_t(blocks()) * annuli}, "counts") {}

std::uint64_t shared_pairs::bytes_of(std::uint32_t log2_pairs) {
  std::uint64_t const blocks = gaussian_pairs::blocks_for(batches(log2_pairs).count());
  return blocks * (2 * sizeof(double) + annuli * sizeof(std::uint32_t));
}

std::uint32_t shared_pairs::blocks() const { return gaussian_pairs::blocks_for(cut_.count()); }

completion shared_pairs::submit() {
  return jobs_.submit({.grid = blocks(), .name = "ep"}, writes(sx_, one_to_one), writes(sy_, one_to_one),
                      writes(counts_, one_to_one(annuli)), [cut = cut_](auto sx, auto sy, auto counts) {
                        return gaussian_pairs{sx, sy, counts, cut.count(), cut.pairs_of_each()};
                      });
}

tally shared_pairs::read() const {
  auto const until = job_run::a_day_from_now();
  return sum_of(sx_.read(every_element, until), sy_.read(every_element, until),
                counts_.read(every_element, until));
}

}  // namespace ballast::ep
