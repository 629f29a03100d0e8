// SPDX-License-Identifier: Apache-2.0
#include "task_grain.hpp"

#include <algorithm>

#include "split_shares.hpp"

namespace ballast::detail {
namespace {

constexpr double min_grain_ns = 100e3;  // a dozen times what a task costs
constexpr double min_grain_gain = 0.03;
constexpr std::uint32_t waves_of_section = 4, min_waves = 16;

bool is_within(job_part part, job_part whole) {
  return part.first >= whole.first && part.first + part.count <= whole.first + whole.count;
}

/// When the last task of these units ended.
std::int64_t end_of(device_run const& run, job_part units) {
  std::int64_t end = run.begin_ns;
  for (auto const& task : run.ended)
    if (is_within(task.part, units)) end = std::max(end, task.end_ns);
  return end;
}

/// Whether these units were in tasks of `grain`, the last one perhaps smaller.
bool has_tasks_of(device_run const& run, job_part units, std::uint32_t grain) {
  auto const is_of_them = [&](ended_task const& task) { return is_within(task.part, units); };
  return std::ranges::count_if(run.ended, is_of_them) == whole_steps(units.count, grain);
}

std::uint64_t units_of(std::uint64_t blocks, std::uint64_t blocks_per_unit) {
  return (blocks - 1) / blocks_per_unit + 1;
}

}  // namespace

task_grain::task_grain(std::uint64_t blocks_per_unit, split_device const& device)
    : max_units_(device.max_units) {
  if (blocks_per_unit == 0 || device.blocks_at_once < 2) return;
  whole_wave_ = units_of(device.blocks_at_once, blocks_per_unit);
  half_wave_ = units_of(device.blocks_at_once / 2, blocks_per_unit);
}

std::vector<job_part> task_grain::trial(job_part range, double unit_ns) {
  if (tried_ || whole_wave_ == 0 || static_cast<double>(half_wave_) * unit_ns < min_grain_ns) return {};
  if (range.count > max_units_ || range.count / min_waves < whole_wave_) return {};
  auto const wave = static_cast<std::uint32_t>(whole_wave_), half = static_cast<std::uint32_t>(half_wave_);
  auto const units = waves_of_section * wave, end = range.first + range.count;
  sections_ = {{{end - 2 * units, units}, wave}, {{end - units, units}, half}};
  std::vector<job_part> parts;
  for (auto const& [all, grain] : sections_)
    for (auto const& part : parts_of_steps(all, units, grain)) parts.push_back(part);
  return parts;
}

double task_grain::learn(device_run const& run, double busy_ns) {
  auto const was_in = [&](section const& one) { return has_tasks_of(run, one.units, one.grain); };
  if (tried_ || sections_.empty() || !std::ranges::all_of(sections_, was_in)) return busy_ns;
  auto const small = sections_[0].units.count + sections_[1].units.count;
  if (run.units <= small) return busy_ns;
  tried_ = true;
  auto end = end_of(run, {sections_[0].units.first + small - run.units, run.units - small});
  auto best_ns = static_cast<double>(end - run.begin_ns) / (run.units - small);
  auto const enough = (1 - min_grain_gain) * best_ns;
  for (auto const& [units, grain] : sections_) {
    auto const unit_ns = static_cast<double>(end_of(run, units) - end) / units.count;
    if (unit_ns < std::min(best_ns, enough)) best_ns = unit_ns, chosen_ = grain;
    end = end_of(run, units);
  }
  return best_ns * run.units;
}

}  // namespace ballast::detail
