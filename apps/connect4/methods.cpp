// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <array>
#include <vector>

#include "ballast/base/argument_text.hpp"
#include "sequential.hpp"

namespace ballast::connect4 {

std::span<search_method const> search_methods() {
  static constexpr std::array methods{search_method{
      "sequential", "depth first on one thread of the host; the reference", false, &search_sequentially}};
  return methods;
}

search_method const& method_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& method : search_methods()) names.push_back(method.name);
  return search_methods()[place_among(names, "method", name)];
}

}  // namespace ballast::connect4
