// SPDX-License-Identifier: Apache-2.0
#include "ballast/base/argument_text.hpp"

#include <algorithm>

namespace ballast::inline base {
namespace {

std::string told(std::span<std::string_view const> words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
    all += words[i];
  }
  return all;
}

}  // namespace

std::size_t place_among(std::span<std::string_view const> legal, std::string_view argument,
                        std::string_view word) {
  auto const found = std::find(legal.begin(), legal.end(), word);
  if (found == legal.end()) refuse_argument(argument, word, told(legal));
  return static_cast<std::size_t>(found - legal.begin());
}

}  // namespace ballast::inline base
