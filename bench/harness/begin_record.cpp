// SPDX-License-Identifier: Apache-2.0
#include "harness/begin_record.hpp"

#include <fstream>
#include <set>
#include <utility>
#include <vector>

namespace ballast::bench {
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
  for (auto const& device : one_of_each_gpu(devices)) {
    auto const& facts = device->properties();
    runtime = facts.runtime_version;
    gpus.push_back({facts.model, facts.multiprocessors, facts.memory_bytes,
                    std::to_string(facts.compute_major) + "." + std::to_string(facts.compute_minor)});
  }
  return this_machine(std::move(gpus), cuda_version_text(runtime), cores_of_process().usable);
}

/// "defaults", or for devices that were calibrated on different days "defaults, 2026-11-26".
std::string costs_of(device_list const& devices) {
  std::set<std::string> names;
  for (auto const& device : devices) names.insert(device->costs().name());
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

device_list one_of_each_gpu(device_list const& devices) {
  device_list gpus;
  std::set<int> seen;
  for (auto const& device : devices)
    if (device->is_cuda() && seen.insert(device->spec().index).second) gpus.push_back(device);
  return gpus;
}

run_record begin_record(std::string benchmark, device_list const& devices) {
  run_record record;
  record.benchmark = std::move(benchmark);
  record.version = BALLAST_VERSION;
  record.started = utc_now();
  record.command = own_command_line();
  record.source = current_source();
  record.machine = machine_with(devices);
  for (auto const& device : devices) record.devices.push_back(device->name());
  record.policies.emplace_back("costs", costs_of(devices));
  return record;
}

}  // namespace ballast::bench
