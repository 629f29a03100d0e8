// SPDX-License-Identifier: Apache-2.0
#include "job/benchmarks.hpp"
#include "job/race.hpp"

namespace ballast::bench {
namespace {

constexpr char const* by_hand = "one launch by hand";
constexpr char const* jobs = "jobs";

void measure_program(session& now, program_kind const& kind, double place) {
  std::vector<contestant> both;
  both.push_back({by_hand, kind.by_hand(now.first())});
  both.push_back(as_jobs(jobs, kind, {now.first()}, {}));
  race(now, kind, both);
  for (auto& one : both) now.add(one.name, place, "s", one.seconds);
  now.derived(kind.name + ": jobs over one launch by hand",
              seconds_of(both, jobs) / seconds_of(both, by_hand));
}

}  // namespace

void measure_job_one_device(session& now) {
  now.axes("A program as jobs on one device, and by hand", "1: matmul, 2: ep, 3: hotspot", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  double place = 0;
  for (auto const& kind : job_programs(now)) measure_program(now, kind, ++place);
}

}  // namespace ballast::bench
