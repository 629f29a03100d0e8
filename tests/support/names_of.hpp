// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ballast::test {

/// The names of what a registry lists, as parameters of tests.
template <class Listed>
std::vector<std::string> names_of(Listed const& all) {
  std::vector<std::string> names;
  for (auto const& one : all) names.emplace_back(one.name);
  return names;
}

}  // namespace ballast::test
