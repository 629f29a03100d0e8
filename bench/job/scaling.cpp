// SPDX-License-Identifier: Apache-2.0
#include "job/benchmarks.hpp"
#include "job/race.hpp"

namespace ballast::bench {
namespace {

void measure_scaling(session& now, program_kind const& kind) {
  std::vector<contestant> all;
  for (auto const count : now.device_counts())
    all.push_back(as_jobs(std::to_string(count), kind, now.first_devices(count), {}));
  race(now, kind, all);
  for (auto const& one : all) {
    auto const count = std::stod(one.name);
    now.add(kind.name, count, "s", one.seconds);
    now.derived(kind.name + " on " + one.name + ": times one device",
                seconds_of(all, "1") / seconds_of(all, one.name));
    now.derived(kind.name + " on " + one.name + ": bytes from the host", double(one.moved.from_host));
    now.derived(kind.name + " on " + one.name + ": bytes to the host", double(one.moved.to_host));
    now.derived(kind.name + " on " + one.name + ": bytes between devices", double(one.moved.between_devices));
  }
}

}  // namespace

void measure_job_scaling(session& now) {
  now.axes("Programs by devices", "devices", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  for (auto const& kind : job_programs(now)) measure_scaling(now, kind);
}

}  // namespace ballast::bench
