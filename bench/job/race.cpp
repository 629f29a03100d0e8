// SPDX-License-Identifier: Apache-2.0
#include "job/race.hpp"

#include <algorithm>
#include <utility>

#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint64_t spare_bytes = 1 << 20;  // each array may begin anywhere in a block

double seconds_of_run(contestant& one) {
  one.program->prepare();
  auto const before = one.program->moved();
  auto const seconds = seconds_of([&] { one.program->run(); });
  one.moved = one.program->moved().since(before);
  return seconds;
}

void verify(session& now, program_kind const& kind, std::vector<contestant> const& all) {
  auto const first = all.front().program->result();
  for (auto const& one : all) {
    now.verify(one.program->is_right(), kind.check);
    now.verify(std::ranges::equal(one.program->result(), first),
               kind.compared + " of " + kind.name + " the same bits from all");
  }
}

}  // namespace

contestant as_jobs(std::string name, program_kind const& kind, device_list const& devices,
                   job_options options) {
  if (options.device_bytes == 0) options.device_bytes = 2 * kind.bytes + spare_bytes;
  bool const learns = options.policy != "static" && options.policy != "master_worker";
  return {std::move(name), kind.as_jobs(devices, options), learns};
}

contestant as_sequence(std::string name, program_kind const& kind, device_list const& devices,
                       job_options options, std::uint32_t steps) {
  options.device_bytes = 2 * kind.bytes + spare_bytes;
  bool const learns = options.sequences_on == job_options{}.sequences_on && devices.size() > 1;
  return {std::move(name), kind.as_sequence(devices, options, steps), learns};
}

void race(session& now, program_kind const& kind, std::vector<contestant>& all) {
  auto const warm_up = now.record().warm_up, repetitions = now.record().repetitions;
  std::size_t round = 0;
  now.samples(warm_up, repetitions, [&] {
    bool const all_run = ++round >= warm_up;
    for (auto& one : all)
      if (all_run || one.learns) one.seconds.push_back(seconds_of_run(one));
    return 0.0;
  });
  for (auto& one : all) {
    one.first_seconds = one.seconds.front();
    one.seconds.erase(one.seconds.begin(), one.seconds.end() - std::ptrdiff_t(repetitions));
  }
  verify(now, kind, all);
}

double seconds_of(std::vector<contestant> const& all, std::string const& name) {
  return median(std::ranges::find(all, name, &contestant::name)->seconds);
}

}  // namespace ballast::bench
