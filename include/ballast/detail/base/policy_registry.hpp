// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"

namespace ballast::detail {

/// An entry of a table of names that users choose from.
template <class What>
struct registry_entry {
  named_policy description;
  What value;
};

template <class What, std::size_t Count>
std::vector<named_policy> descriptions(registry_entry<What> const (&choices)[Count]) {
  std::vector<named_policy> all;
  for (auto const& one : choices) all.push_back(one.description);
  return all;
}

/// Returns the value with this name, otherwise throws bad_argument (`argument`), which lists the names.
template <class What, std::size_t Count>
What const& find(registry_entry<What> const (&choices)[Count], std::string_view argument,
                 std::string_view name) {
  std::array<std::string_view, Count> names;
  for (std::size_t i = 0; i < Count; ++i) names[i] = choices[i].description.name;
  return choices[index_among(names, argument, name)].value;
}

}  // namespace ballast::detail
