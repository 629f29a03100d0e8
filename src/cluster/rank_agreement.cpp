// SPDX-License-Identifier: Apache-2.0
#include "rank_agreement.hpp"

#include <algorithm>

#include "travel.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t max_text = 60'000;

/// Lists that differ only after the end of the shortened text differ in its last line.
std::string shortened(std::string const& text) {
  return text.substr(0, max_text - 32) + "\n" + std::to_string(fingerprint(text)) + "\n";
}

}  // namespace

std::string difference_of(said_by_ranks const& said) {
  auto const& first = said.at(0);
  auto const differs = [&](auto const& one) { return one.second != first; };
  auto const found = std::ranges::find_if(said, differs);
  if (found == said.end()) return {};
  auto const& [rank, other] = *found;
  if (first.ends_with('\n')) return first_difference(first, 0, other, rank);
  return "'" + first + "' on rank 0, and '" + other + "' on rank " + std::to_string(rank);
}

void rank_agreement::begin(agreement const& on, std::string text) {
  if (text.size() > max_text) text = shortened(text);
  on_ = on;
  has_begun_ = true;
  fault_.reset();
  if (rank_ != 0) return of_.say(text);
  said_[0] = std::move(text);
  compare();
}

void rank_agreement::hear(std::uint32_t from, std::string_view text) {
  said_[from] = text;
  compare();
}

void rank_agreement::compare() {
  if (rank_ != 0 || !has_begun_ || fault_) return;
  for (std::uint32_t other = 1; other < ranks_; ++other) {
    if (of_.is_lost(other))
      said_.erase(other);
    else if (!said_.contains(other))
      return;
  }
  fault_ = on_.fault_of(said_);
  for (auto const& [other, text] : std::exchange(said_, {}))
    if (other != 0) of_.answer(other, *fault_);
}

}  // namespace ballast::detail
