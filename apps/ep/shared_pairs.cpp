// SPDX-License-Identifier: Apache-2.0
#include "shared_pairs.hpp"

#include "gaussian_pairs.cuh"
#include "job_run/timed_runs.hpp"

namespace ballast::ep {

shared_pairs::shared_pairs(job_scheduler& of, std::uint32_t log2_pairs)
    : jobs_(of),
      cut_(log2_pairs),
      sx_(of, {cut_.count()}, "sx"),
      sy_(of, {cut_.count()}, "sy"),
      counts_(of, {std::size_t(cut_.count()) * annuli}, "counts") {}

job_ticket shared_pairs::submit() {
  auto const of_block = one_to_one(gaussian_pairs::threads);
  return jobs_.submit({.grid = gaussian_pairs::blocks_for(cut_.count()), .name = "ep"}, writes(sx_, of_block),
                      writes(sy_, of_block), writes(counts_, one_to_one(gaussian_pairs::threads * annuli)),
                      [cut = cut_](auto sx, auto sy, auto counts) {
                        return gaussian_pairs{sx, sy, counts, cut.count(), cut.pairs_of_each()};
                      });
}

tally shared_pairs::read() const {
  auto const until = job_run::a_day_from_now();
  return sum_of(sx_.read(every_element, until), sy_.read(every_element, until),
                counts_.read(every_element, until));
}

}  // namespace ballast::ep
