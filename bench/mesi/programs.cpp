// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "job/race.hpp"
#include "mesi/benchmarks.hpp"
#include "mesi/translated_program.hpp"

namespace ballast::bench {
namespace {

constexpr char const* translated = "translated";
constexpr char const* of_two_launches = "translated, two launches written out";
constexpr char const* jobs_by_hand = "jobs";

class run_by_mesi final : public job_program {
 public:
  explicit run_by_mesi(translated_program const& of) : of_(of) {}
  void prepare() override { of_.prepare(); }
  void run() override { of_.run(); }
  bool is_right() override { return of_.is_right(); }
  std::span<std::byte const> result() override { return result_ = of_.result(); }

 private:
  translated_program of_;
  std::vector<std::byte> result_;
};

struct translation {
  char const* name;
  translated_program program;
};

struct compared_programs {
  program_kind kind;
  std::vector<translation> with_mesicc;
};

std::string ep_class_of(translated_program const& ep) { return ep.size == 36 ? "D" : "S"; }

std::vector<compared_programs> programs() {
  auto const matmul = translated_matmul(), ep = translated_ep(), hotspot = translated_hotspot();
  return {{matmul_program(std::uint32_t(matmul.size)), {{translated, matmul}}},
          {ep_program(ep_class_of(ep)), {{translated, ep}}},
          {hotspot_program(std::uint32_t(hotspot.size), std::uint32_t(hotspot.steps)),
           {{translated, hotspot}, {of_two_launches, translated_hotspot_of_two_launches()}}}};
}

/// Sets the devices and the memory of the scheduler that all translated programs share, which is made at the
/// first use.
void run_translated_programs_on(device_list const& devices, std::vector<compared_programs> const& all) {
  std::string names;
  for (auto const& device : devices) names += (names.empty() ? "" : ",") + to_text(device->spec());
  std::uint64_t bytes = 1u << 26;
  for (auto const& one : all) bytes += 2 * one.kind.bytes + (std::uint64_t{1} << 28);  // ep keeps more
  setenv("BALLAST_DEVICES", names.c_str(), 1);
  setenv("BALLAST_DEVICE_BYTES", std::to_string(bytes).c_str(), 1);
}

void measure(session& now, compared_programs const& of, double place) {
  std::vector<contestant> all;
  all.push_back(as_jobs(jobs_by_hand, of.kind, now.devices(), {}));
  for (auto const& [name, program] : of.with_mesicc)
    all.push_back({name, std::make_unique<run_by_mesi>(program), true});
  race(now, of.kind, all);
  for (auto const& one : all) now.add(one.name, place, "s", one.seconds);
  now.parameter(of.kind.name, of.kind.size);
  for (auto const& one : of.with_mesicc)
    now.derived(of.kind.name + ": " + one.name + " over jobs",
                seconds_of(all, one.name) / seconds_of(all, jobs_by_hand));
}

}  // namespace

void measure_mesi_programs(session& now) {
  now.axes("Programs translated by mesicc, and the same written by hand as jobs",
           "1: matmul, 2: ep, 3: hotspot", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  auto const all = programs();
  run_translated_programs_on(now.devices(), all);
  double place = 0;
  for (auto const& one : all) measure(now, one, ++place);
}

}  // namespace ballast::bench
