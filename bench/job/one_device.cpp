// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "job/benchmarks.hpp"
#include "job/race.hpp"

namespace ballast::bench {
namespace {

constexpr char const* plain = "plain CUDA";
constexpr char const* by_hand = "one launch by hand";
constexpr char const* jobs = "jobs";
constexpr char const* sequence = "one sequence";

/// The program without ballast, which needs a whole GPU; null on other devices.
std::unique_ptr<job_program> plain_program(program_kind const& kind, device_spec const& on) {
  bool const is_whole_gpu = on.kind == backend::cuda && on.multiprocessors == 0;
  return is_whole_gpu ? kind.plain(on.index) : nullptr;
}

std::vector<contestant> one_device_contestants(session const& now, program_kind const& kind) {
  std::vector<contestant> all;
  all.push_back(as_jobs(jobs, kind, {now.first()}, {}));
  all.push_back({by_hand, kind.by_hand(now.first())});
  if (auto program = plain_program(kind, now.first()->spec())) all.push_back({plain, std::move(program)});
  return all;
}

void add_ratios(session& now, program_kind const& kind, std::vector<contestant> const& all,
                std::string const& ours) {
  for (auto const& one : all)
    if (one.name == by_hand || one.name == plain)
      now.derived(kind.name + ": " + ours + " over " + one.name,
                  seconds_of(all, ours) / seconds_of(all, one.name));
}

void measure_program(session& now, program_kind const& kind, std::vector<contestant>& all, double place) {
  race(now, kind, all);
  for (auto const& one : all) now.add(one.name, place, "s", one.seconds);
  add_ratios(now, kind, all, jobs);
}

}  // namespace

void measure_job_one_device(session& now) {
  now.axes("A program as jobs on one device, launched whole by hand, and in plain CUDA",
           "1: matmul, 2: ep, 3: hotspot, 4: tiled matmul", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  auto programs = job_programs(now);
  programs.push_back(tiled_matmul(now));
  double place = 0;
  for (auto const& kind : programs) {
    auto all = one_device_contestants(now, kind);
    measure_program(now, kind, all, ++place);
  }
}

void measure_job_shared_steps(session& now) {
  now.axes("Steps of hotspot as one sequence on one device, on all and as learned, and as jobs on all",
           "rows and columns of the plate, 800 steps", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  for (auto const size : {1024u, 2048u, 4096u, 8192u}) {
    if (now.quick() && size > 1024) break;
    auto kind = hotspot_program(size, std::uint32_t(now.size(800, 10)));
    kind.name += " " + std::to_string(size);
    now.parameter(kind.name, kind.size);
    std::vector<contestant> all;
    for (auto const steps : {~0u, 16u}) {
      std::string const name = steps == 16 ? "16 steps a submission, " : "one sequence, ";
      all.push_back(as_sequence(name + "one device", kind, {now.first()}, {}, steps));
      all.push_back(as_sequence(name + "all devices", kind, now.devices(),
                                {.sequences_on = detail::sequence_devices::all}, steps));
      all.push_back(as_sequence(name + "learned", kind, now.devices(), {}, steps));
    }
    all.push_back(as_jobs("jobs, all devices", kind, now.devices(), {}));
    race(now, kind, all);
    for (auto const& one : all) {
      now.add(one.name, size, "s", one.seconds);
      now.add(one.name + ", first run", size, "s", std::vector{one.first_seconds});
      now.derived(kind.name + ": one sequence on one device over " + one.name,
                  seconds_of(all, all.front().name) / seconds_of(all, one.name));
    }
  }
}

void measure_job_small_steps(session& now) {
  now.axes("Steps of hotspot on one device: as jobs, as one sequence, by hand, and in plain CUDA",
           "rows and columns of the plate, 2000 steps", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 9);
  for (auto const size : {256u, 512u, 1024u}) {
    auto kind = hotspot_program(size, std::uint32_t(now.size(2000, 10)));
    kind.name += " " + std::to_string(size);
    now.parameter(kind.name, kind.size);
    auto all = one_device_contestants(now, kind);
    all.push_back(as_sequence(sequence, kind, {now.first()}));
    measure_program(now, kind, all, size);
    add_ratios(now, kind, all, sequence);
  }
}

}  // namespace ballast::bench
