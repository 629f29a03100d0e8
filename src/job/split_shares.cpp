// SPDX-License-Identifier: Apache-2.0
#include "split_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ballast::detail {
namespace {

/// The time of `steps` steps; infinite for a device that makes none.
double time_ns(std::uint32_t steps, device_pace pace) {
  if (steps == 0) return 0;
  return pace.steps_per_ns > 0 ? steps / pace.steps_per_ns : std::numeric_limits<double>::infinity();
}

/// The device that would end first with one step more.
std::size_t first_with_one_more(std::span<std::uint32_t const> shares, std::span<device_pace const> paces) {
  auto const with_one_more = [&](std::size_t device) {
    return time_ns(whole_steps(shares[device], paces[device].units_per_step) + 1, paces[device]);
  };
  std::size_t first = 0;
  for (std::size_t device = 1; device < shares.size(); ++device)
    if (with_one_more(device) < with_one_more(first)) first = device;
  return first;
}

/// Whole steps that fit in the time that all devices together would need if steps could be divided.
std::vector<std::uint32_t> shares_rounded_down(std::uint32_t units, std::span<device_pace const> paces) {
  double units_per_ns = 0;
  for (auto const& pace : paces) units_per_ns += pace.steps_per_ns * pace.units_per_step;
  std::vector<std::uint32_t> shares;
  auto left = units;
  for (auto const& pace : paces) {
    auto const steps = std::floor(units * (pace.steps_per_ns / units_per_ns));
    shares.push_back(std::min(left, static_cast<std::uint32_t>(steps) * pace.units_per_step));
    left -= shares.back();
  }
  return shares;
}

}  // namespace

std::vector<job_part> equal_parts(job_part whole, std::uint32_t count) {
  std::vector<job_part> parts;
  for (std::uint32_t left = std::min(count, whole.count); left > 0; --left) {
    auto const size = (whole.count - 1) / left + 1;
    parts.push_back({whole.first, size});
    whole = {whole.first + size, whole.count - size};
  }
  return parts;
}

std::vector<job_part> parts_of_steps(job_part whole, std::uint32_t count, std::uint32_t units_per_step) {
  if (units_per_step == 1) return equal_parts(whole, count);
  std::vector<job_part> parts;
  auto const steps = whole_steps(whole.count, units_per_step);
  auto const size = ((steps + count - 1) / count) * units_per_step;
  for (auto const end = whole.first + whole.count; whole.first < end; whole.first += parts.back().count)
    parts.push_back({whole.first, std::min(size, end - whole.first)});
  return parts;
}

std::vector<std::uint32_t> shares_by_pace(std::uint32_t units, std::span<device_pace const> paces) {
  auto shares = shares_rounded_down(units, paces);
  auto left = units;
  for (auto const share : shares) left -= share;
  while (left > 0) {
    auto const device = first_with_one_more(shares, paces);
    auto const step = std::min(left, paces[device].units_per_step);
    shares[device] += step;
    left -= step;
  }
  return shares;
}

double slowest_ns(std::span<std::uint32_t const> shares, std::span<device_pace const> paces) {
  double slowest = 0;
  for (std::size_t device = 0; device < shares.size(); ++device)
    slowest =
        std::max(slowest, time_ns(whole_steps(shares[device], paces[device].units_per_step), paces[device]));
  return slowest;
}

std::vector<job_part> side_by_side(std::span<std::uint32_t const> shares) {
  std::vector<job_part> ranges;
  std::uint32_t first = 0;
  for (auto const share : shares) {
    ranges.push_back({first, share});
    first += share;
  }
  return ranges;
}

}  // namespace ballast::detail
