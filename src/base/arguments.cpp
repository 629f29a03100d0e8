// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ballast {

namespace {

std::string enumeration(std::span<std::string_view const> words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
    all += words[i];
  }
  return all;
}

/// How many letters must be added, removed or replaced to make one of the other (Levenshtein).
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      auto const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// How far `meant` is from what was typed; nothing if it was hardly meant. Words with the typed one in them
/// come after those that a slip of the fingers explains.
std::optional<std::size_t> errors_in(std::string_view word, std::string_view meant) {
  constexpr std::size_t most = 3, least_part = 3;
  auto const errors = edit_distance(word, meant);
  if (errors <= std::min(most, std::max(word.size(), meant.size()) / 3)) return errors;
  if (word.size() >= least_part && meant.find(word) != meant.npos) return most + errors;
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> nearest_words(std::span<std::string_view const> legal, std::string_view word,
                                            std::size_t most) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (auto const& one : legal)
    if (auto const errors = errors_in(word, one)) near.emplace_back(*errors, one);
  std::ranges::stable_sort(near, {}, [](auto const& one) { return one.first; });
  std::vector<std::string_view> words;
  for (auto const& [errors, one] : near) words.push_back(one);
  words.resize(std::min(most, words.size()));
  return words;
}

std::string did_you_mean(std::span<std::string_view const> legal, std::string_view word, std::size_t most) {
  auto const near = nearest_words(legal, word, most);
  return near.empty() ? "" : "; did you mean " + enumeration(near) + "?";
}

std::size_t index_among(std::span<std::string_view const> legal, std::string_view argument,
                        std::string_view word) {
  auto const found = std::find(legal.begin(), legal.end(), word);
  if (found == legal.end())
    throw_bad_argument(argument, word, enumeration(legal) + did_you_mean(legal, word));
  return static_cast<std::size_t>(found - legal.begin());
}

std::string escape_control_characters(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string line;
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (code >= ' ' && code != 127)
      line += c;
    else if (c == '\n' || c == '\t' || c == '\r')
      line += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else
      line.append("\\x").append({digits[code / 16], digits[code % 16]});
  }
  return line;
}

}  // namespace ballast
