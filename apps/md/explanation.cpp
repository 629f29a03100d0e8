// SPDX-License-Identifier: Apache-2.0
#include "explanation.hpp"

#include <algorithm>
#include <cmath>

#include "report/table.hpp"

namespace ballast::md {
namespace {

/// Below this imbalance of S1 a perfect balance would gain less than a twentieth.
constexpr double little_imbalance = 1.05;

std::string_view meaning_of(solution which) {
  switch (which) {
    case solution::s1:
      return "each device gets an equal part of the atoms, fullest cells first, in one launch";
    case solution::s2:
      return "each device gets an equal part of the atoms, in random order, in one launch";
    case solution::s3:
      return "atoms, fullest cells first, in chunks: a device that is free is launched the next one";
    case solution::tq:
      return "atoms, fullest cells first, in small tasks: kernels that stay on the devices take the next one";
    case solution::chen:
      break;
  }
  return "TQ's tasks in the queues of Chen et al. 2010 as published, refilled only when empty";
}

solution_report const* report_of(comparison const& result, solution which) {
  auto const found = std::find_if(result.solutions.begin(), result.solutions.end(),
                                  [&](auto const& one) { return one.which == which; });
  return found == result.solutions.end() ? nullptr : &*found;
}

/// Of the device that was busy for the shortest time.
std::string idle_text(comparison const& result, solution_report const& one) {
  if (result.devices.size() < 2) return "One device leaves nothing to balance.";
  auto const least = std::min_element(one.busy_seconds.begin(), one.busy_seconds.end());
  auto const percent = std::lround(100 * (1 - *least / one.times.forces));
  std::string const name(name_of(one.which));
  if (percent <= 0) return name + " kept every device busy all the time.";
  auto const& device = result.devices[static_cast<std::size_t>(least - one.busy_seconds.begin())];
  return name + " left " + device + " idle for " + std::to_string(percent) + " % of the time.";
}

/// Where TQ took as long or longer it says why, which on one device goes without saying.
std::string time_text(comparison const& result, solution_report const& s1, solution_report const& tq) {
  double const ratio = tq.seconds_per_step / s1.seconds_per_step;
  bool const equal = ratio >= 0.995 && ratio < 1.005;
  std::string const text =
      equal ? "TQ took as long as S1" : "TQ took " + rounded(ratio, ratio < 1 ? 2 : 3) + " of S1's time";
  if (ratio < 0.995 || result.devices.size() < 2) return text + ".";
  if (s1.imbalance < little_imbalance) return text + ": there was little to balance.";
  return text + ": handing out tasks cost " + (equal ? "as much as" : "more than") + " it gained.";
}

}  // namespace

std::string legend_of(comparison const& result) {
  std::string text;
  for (auto const& one : result.solutions) {
    std::string name(name_of(one.which));
    name.resize(6, ' ');
    text.append(name).append(meaning_of(one.which)).append("\n");
  }
  return text;
}

std::string gain_of(comparison const& result) {
  auto const* const s1 = report_of(result, solution::s1);
  auto const* const tq = report_of(result, solution::tq);
  if (!s1 && !tq) return "";
  auto const idle = idle_text(result, s1 ? *s1 : *tq);
  if (!tq) return idle + " TQ did not run, so what it would gain was not measured.";
  if (!s1) return idle + " S1 did not run, so what TQ gained was not measured.";
  return idle + " " + time_text(result, *s1, *tq);
}

}  // namespace ballast::md
