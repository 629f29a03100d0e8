// SPDX-License-Identifier: Apache-2.0
#include "run_recording.hpp"

#include <fstream>
#include <iterator>
#include <utility>

#include "run_report.hpp"

namespace ballast::md {
namespace {

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

machine_facts machine_with(device_list const& devices) {
  std::vector<gpu_facts> gpus;
  int runtime = 0;
  for (auto const& device : devices) {
    auto const& facts = device->facts();
    if (!device->is_cuda()) continue;
    runtime = facts.runtime_version;
    gpus.push_back({facts.model, facts.multiprocessors, facts.memory_bytes,
                    std::to_string(facts.compute_major) + "." + std::to_string(facts.compute_minor)});
  }
  return this_machine(std::move(gpus), cuda_version_text(runtime));
}

void add_series(run_record& record, comparison const& result, solution_report const& one) {
  auto const name = std::string(name_of(one.which));
  record.series.push_back({name + ".seconds_per_step", "s", one.seconds_samples});
  for (std::size_t d = 0; d < result.devices.size(); ++d) {
    sample_series busy{name + ".busy_seconds." + result.devices[d], "s", {}};
    for (auto const& sample : one.busy_samples) busy.samples.push_back(sample[d]);
    record.series.push_back(std::move(busy));
  }
}

verification verify(comparison const& result) {
  return {result.identical && result.largest_difference < 1e-5,
          "forces of S1, S3, TQ and chen bitwise equal, of S2 within 1e-5 of the root mean square force"};
}

}  // namespace

run_record record_of(comparison_plan const& plan, comparison const& result, device_list const& devices,
                     std::string started) {
  run_record record;
  record.benchmark = "md/solutions";
  record.version = BALLAST_VERSION;
  record.started = std::move(started);
  record.command = own_command_line();
  record.source = current_source();
  record.machine = machine_with(devices);
  record.devices = result.devices;
  record.policies = {{"feed", "drain"}};
  record.parameters = {
      {"atoms", plan.from.state.size()}, {"steps", result.steps}, {"physics", physics_as_json(plan)}};
  record.repetitions = static_cast<std::size_t>(plan.repeat);
  for (auto const& one : result.solutions) {
    add_series(record, result, one);
    auto const name = std::string(name_of(one.which));
    record.parameters.emplace_back(name + ".pieces", one.pieces);
    record.derived.emplace_back(name + ".speedup", one.speedup);
    record.derived.emplace_back(name + ".imbalance", one.imbalance);
  }
  record.answer = verify(result);
  return record;
}

}  // namespace ballast::md
