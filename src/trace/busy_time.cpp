// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "ballast/error.hpp"

namespace ballast {
namespace {

struct extent {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();

  void include(span const& one) {
    begin = std::min(begin, one.begin_ns);
    end = std::max(end, one.end_ns);
  }
  std::int64_t length() const { return end < begin ? 0 : end - begin; }
};

void check_device(span const& one, std::size_t devices) {
  if (one.device < devices) return;
  throw_bad_argument("span.device", static_cast<long long>(one.device), "below " + std::to_string(devices));
}

bool is_of_device(span const& one) { return one.worker < detail::first_copy_worker; }

using extents_by_step = std::map<std::int64_t, std::vector<extent>>;

extents_by_step extents(std::span<span const> spans, std::size_t devices) {
  extents_by_step steps;
  for (span const& one : spans) {
    check_device(one, devices);
    if (is_of_device(one)) steps.try_emplace(one.step, devices).first->second[one.device].include(one);
  }
  return steps;
}

}  // namespace

std::vector<device_load> device_loads(std::span<span const> spans, std::size_t devices) {
  std::vector<device_load> loads(devices);
  for (auto const& [step, of_devices] : extents(spans, devices))
    for (std::size_t d = 0; d < devices; ++d) loads[d].busy_ns += of_devices[d].length();
  for (span const& one : spans) {
    if (!is_of_device(one)) continue;
    loads[one.device].work_ns += one.end_ns - one.begin_ns;
    loads[one.device].tasks += one.tasks;
  }
  return loads;
}

double imbalance(std::span<double const> busy) {
  if (busy.empty()) throw_bad_argument("busy", "empty", "one value or more");
  for (double const value : busy) {
    if (!std::isfinite(value) || value < 0) throw_bad_argument("busy", value, "finite and not negative");
  }
  double const largest = *std::max_element(busy.begin(), busy.end());
  double const sum = std::accumulate(busy.begin(), busy.end(), 0.0);
  return sum > 0 ? largest * static_cast<double>(busy.size()) / sum : 1.0;
}

double imbalance(std::span<device_load const> loads) {
  std::vector<double> busy;
  for (device_load const& load : loads) busy.push_back(static_cast<double>(load.busy_ns));
  return imbalance(busy);
}

}  // namespace ballast
