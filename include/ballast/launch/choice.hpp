// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ballast/base/argument_text.hpp"
#include "ballast/launch/named_policy.hpp"

namespace ballast::inline launch {

/// Something that users choose by name.
template <class What>
struct choice {
  named_policy told;
  What what;
};

template <class What, std::size_t count>
std::vector<named_policy> told(choice<What> const (&choices)[count]) {
  std::vector<named_policy> all;
  for (auto const& one : choices) all.push_back(one.told);
  return all;
}

/// Throws bad_argument (`argument`) listing the names.
template <class What, std::size_t count>
What const& chosen(choice<What> const (&choices)[count], std::string_view argument, std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& one : choices) names.push_back(one.told.name);
  return choices[place_among(names, argument, name)].what;
}

}  // namespace ballast::inline launch
