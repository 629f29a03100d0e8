// SPDX-License-Identifier: Apache-2.0
#include "sm_counts.hpp"

#include <cstddef>

namespace ballast::detail {
namespace {

bool are_in_equal_steps(std::span<int const> counts) {
  for (std::size_t i = 2; i < counts.size(); ++i)
    if (counts[i] - counts[i - 1] != counts[1] - counts[0]) return false;
  return true;
}

}  // namespace

std::vector<int> sm_counts(int all, std::function<int(int asked)> const& given) {
  std::vector<int> counts;
  for (int asked = 1; asked <= all; ++asked)
    if (given(asked) == asked) counts.push_back(asked);
  return counts;
}

std::string description(std::span<int const> ascending_counts) {
  auto const counts = ascending_counts;
  if (counts.empty()) return "none";
  if (counts.size() > 2 && are_in_equal_steps(counts))
    return std::to_string(counts.front()) + " to " + std::to_string(counts.back()) + " in steps of " +
           std::to_string(counts[1] - counts[0]);
  std::string words;
  for (auto const count : counts) words += (words.empty() ? "" : ", ") + std::to_string(count);
  return words;
}

}  // namespace ballast::detail
