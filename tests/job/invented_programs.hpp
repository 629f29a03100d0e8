// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "invented_devices.hpp"

namespace ballast::test {

/// A program like those of Ohno et al. 2016, with times of the order that a large GPU has.
struct invented_program {
  std::string name;
  invented_job job;
  invented_device device;  ///< of speed 1
};

inline std::vector<invented_program> invented_programs() {
  invented_device const rows{250e3}, bands{258};
  invented_device tiles{0}, batches{0}, smooth_bands{258}, large_bands{258}, cached_rows{250e3};
  tiles.blocks_at_once = 264, tiles.wave_ns = 1e6;
  batches.blocks_at_once = 2112, batches.wave_ns = 50e6;
  smooth_bands.blocks_at_once = 1056;
  large_bands.max_units = 128;
  cached_rows.blocks_at_once = 832, cached_rows.drift = 0.4;
  return {{"matmul of rows", {1024, 0, 256e3, 256e3}, rows},
          {"matmul faster in small tasks", {1024, 256, 0, 0, 4e6}, cached_rows},
          {"matmul of tiles", {64, 64, 4e6, 4e6}, tiles},
          {"matmul whose input stays", {64, 64, 0, 4e6, 4e6}, tiles},
          {"ep of 4 waves", {1024, 8, 0, 57e3}, batches},
          {"hotspot", {1024, 0, 0, 0, 512e3, 32e3}, bands},
          {"hotspot of known blocks", {1024, 32, 0, 0, 512e3, 32e3}, smooth_bands},
          {"hotspot larger than memory", {1024, 0, 512e3, 256e3, 0, 32e3}, large_bands},
          {"copies", {1024, 0, 1e6, 1e6}, {10e3}},
          {"few units", {16}, {1e6}}};
}

/// Times that a device takes for what the first takes 1 for. The pairs are those of the paper.
inline std::vector<std::vector<double>> invented_device_sets() {
  return {{1},          {1, 1},       {1, 1.63},
          {1, 4.5},     {4.5, 1},     {1, 1.25},
          {1, 1, 1, 1}, {1, 1, 2, 3}, {1, 1, 1, 1, 1, 1, 1, 1}};
}

/// A slower device has fewer places for blocks where blocks come in waves.
inline invented_device slowed(invented_device device, double times) {
  auto const places = static_cast<double>(device.blocks_at_once);
  if (device.blocks_at_once > 0)
    device.blocks_at_once = static_cast<std::uint64_t>(std::llround(places / times));
  device.unit_ns *= times;
  return device;
}

inline invented_devices devices_for(invented_program const& program, std::vector<double> const& times) {
  std::vector<invented_device> devices;
  for (auto const each : times) devices.push_back(slowed(program.device, each));
  return {devices, program.job};
}

/// Of each of so many runs, one after another.
inline std::vector<double> run_times(invented_devices devices, std::string const& policy, int runs,
                                     std::uint32_t tasks = 8) {
  auto const decides = make_split_policy(policy);
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) times.push_back(devices.run(*decides, tasks));
  return times;
}

}  // namespace ballast::test
