// SPDX-License-Identifier: Apache-2.0
#include "loss_census.hpp"

#include <algorithm>

namespace ballast::detail {

loss_census::loss_census(std::uint32_t rank, std::uint32_t ranks)
    : rank_(rank), is_lost_(ranks), told_(ranks), holdings_(ranks) {}

bool loss_census::lose(std::uint32_t rank) {
  is_lost_[rank] = true;
  return lost_.insert(rank).second;
}

bool loss_census::is_due() const {
  if (!is_frozen()) return false;
  for (std::uint32_t other = 0; other < is_lost_.size(); ++other)
    if (other != rank_ && !is_lost_[other] && !std::ranges::includes(told_[other], lost_)) return false;
  return true;
}

void loss_census::add(std::uint32_t from, cluster_message const& census) {
  auto& of = holdings_[from];
  if (of.is_whole || of.lost != census.ranks) of = {census.ranks, {}, false};
  of.ranges.insert(of.ranges.end(), census.ranges.begin(), census.ranges.end());
  of.is_whole = !census.has_more;
}

bool loss_census::is_complete() {
  if (completed_ == lost_.size()) return false;
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (!is_lost_[rank] && (!holdings_[rank].is_whole || !std::ranges::equal(holdings_[rank].lost, lost_)))
      return false;
  completed_ = lost_.size();
  return true;
}

std::vector<task_range> loss_census::held() const {
  std::vector<task_range> all;
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (!is_lost_[rank]) all.insert(all.end(), holdings_[rank].ranges.begin(), holdings_[rank].ranges.end());
  return all;
}

}  // namespace ballast::detail
