// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "job/benchmarks.hpp"
#include "job/race.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

constexpr char const* as_a_sequence = ", as one sequence";

void tell(session& now, program_kind const& kind, contestant const& one, double seconds_on_one) {
  auto const on = kind.name + " on " + one.name;
  now.derived(on + ": times one device", seconds_on_one / median(one.seconds));
  now.derived(on + ": bytes from the host", double(one.moved.from_host));
  now.derived(on + ": bytes to the host", double(one.moved.to_host));
  now.derived(on + ": bytes between devices", double(one.moved.between_devices));
}

/// Measures a program on several numbers of devices. A sequence, too, is compared with the jobs on one
/// device.
void measure_scaling(session& now, program_kind const& kind) {
  std::vector<contestant> all;
  for (auto const count : now.device_counts()) {
    auto const name = std::to_string(count);
    all.push_back(as_jobs(name, kind, now.first_devices(count), {}));
    if (kind.as_sequence) all.push_back(as_sequence(name + as_a_sequence, kind, now.first_devices(count)));
  }
  race(now, kind, all);
  for (auto const& one : all) {
    bool const is_sequence = one.name.ends_with(as_a_sequence);
    now.add(kind.name + (is_sequence ? as_a_sequence : ""), std::stod(one.name), "s", one.seconds);
    tell(now, kind, one, seconds_of(all, "1"));
  }
}

}  // namespace

void measure_job_scaling(session& now) {
  now.axes("Programs by devices", "devices", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  for (auto const& kind : job_programs(now)) measure_scaling(now, kind);
}

}  // namespace ballast::bench
