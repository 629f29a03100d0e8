// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace ballast::test {

/// What an exactly-once run must leave behind, told as counts so that a failure says what happened.
struct visit_report {
  std::size_t lost = 0, duplicated = 0;
  bool operator==(visit_report const&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, visit_report const& report) {
  return out << report.lost << " lost, " << report.duplicated << " duplicated";
}
inline visit_report check_visits(std::vector<std::uint32_t> const& visits) {
  visit_report report;
  for (auto const count : visits) {
    report.lost += count == 0;
    report.duplicated += count > 1;
  }
  return report;
}
inline constexpr visit_report exactly_once{};

}  // namespace ballast::test
