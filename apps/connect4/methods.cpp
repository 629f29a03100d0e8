// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <array>
#include <vector>

#include "ballast/arguments.hpp"
#include "pool_search.hpp"
#include "sequential.hpp"

namespace ballast::connect4 {

std::span<search_method const> search_methods() {
  using request = search_request;
  static constexpr std::array methods{
      search_method{"sequential", "depth first on one thread of the host; the reference", false,
                    &search_sequentially},
      search_method{"chunks", "each node a task; private stacks with published chunks", true,
                    [](request const& asked) { return search_in_pool(asked, "chunks"); }},
      search_method{"abp", "each node a task; work stealing as in the paper", true,
                    [](request const& asked) { return search_in_pool(asked, "abp"); }},
      search_method{"chase-lev", "each node a task; work stealing with circular deques", true,
                    [](request const& asked) { return search_in_pool(asked, "chase-lev"); }},
      search_method{"ring", "each node a task; one lock-free queue", true,
                    [](request const& asked) { return search_in_pool(asked, "ring"); }},
      search_method{"blocking", "each node a task; one queue behind a lock", true,
                    [](request const& asked) { return search_in_pool(asked, "blocking"); }},
      search_method{"static", "each node a task; two arrays, a launch for each level, as in the paper", true,
                    [](request const& asked) { return search_in_pool(asked, "static"); }},
      search_method{"static-per-task", "the same with a block of the grid for each task", true,
                    [](request const& asked) { return search_in_pool(asked, "static-per-task"); }}};
  return methods;
}

search_method const& method_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& method : search_methods()) names.push_back(method.name);
  return search_methods()[index_among(names, "method", name)];
}

}  // namespace ballast::connect4
