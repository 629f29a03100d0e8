// SPDX-License-Identifier: Apache-2.0
#include "heartbeats.hpp"

#include <algorithm>

namespace ballast::detail {

heartbeats::heartbeats(std::uint32_t rank, std::uint32_t ranks, std::int64_t interval_ns,
                       std::int64_t lost_after_ns, std::int64_t now_ns)
    : rank_(rank),
      interval_ns_(interval_ns),
      lost_after_ns_(lost_after_ns),
      looked_ns_(now_ns),
      is_gone_(ranks),
      sent_ns_(ranks, now_ns),
      heard_ns_(ranks, now_ns) {
  choose(now_ns);
}

void heartbeats::drop(std::uint32_t rank, std::int64_t now_ns) {
  is_gone_[rank] = true;
  choose(now_ns);
}

void heartbeats::choose(std::int64_t now_ns) {
  auto const ranks = std::uint32_t(is_gone_.size());
  std::set<std::uint32_t> chosen;
  for (std::uint64_t bit = 1; bit < ranks; bit *= 2)
    if (auto const other = rank_ ^ bit; other < ranks && !is_gone_[other])
      chosen.insert(std::uint32_t(other));
  for (auto const step : {1u, ranks - 1}) {
    auto other = (rank_ + step) % ranks;
    while (other != rank_ && is_gone_[other]) other = (other + step) % ranks;
    if (other != rank_) chosen.insert(other);
  }
  for (auto const rank : chosen)
    if (!neighbours_.contains(rank)) heard_ns_[rank] = now_ns;
  neighbours_ = std::move(chosen);
}

void heartbeats::begin(std::int64_t now_ns) {
  looked_ns_ = now_ns;
  std::ranges::fill(heard_ns_, now_ns);
}

std::vector<std::uint32_t> heartbeats::due(std::int64_t now_ns) const {
  std::vector<std::uint32_t> ranks;
  for (auto const rank : neighbours_)
    if (now_ns - sent_ns_[rank] >= interval_ns_) ranks.push_back(rank);
  return ranks;
}

std::vector<std::uint32_t> heartbeats::silent(std::int64_t now_ns) {
  if (now_ns - looked_ns_ > lost_after_ns_ / 2) begin(now_ns);
  looked_ns_ = now_ns;
  std::vector<std::uint32_t> ranks;
  for (auto const rank : neighbours_)
    if (now_ns - heard_ns_[rank] > lost_after_ns_) ranks.push_back(rank);
  return ranks;
}

}  // namespace ballast::detail
