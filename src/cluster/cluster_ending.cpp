// SPDX-License-Identifier: Apache-2.0
#include "cluster_ending.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {

using kind = cluster_message::kind;

cluster_ending::cluster_ending(std::uint32_t rank, std::uint32_t ranks)
    : rank_(rank), is_lost_(ranks), finished_(ranks) {}

std::uint32_t cluster_ending::coordinator() const {
  return std::uint32_t(std::ranges::find(is_lost_, false) - is_lost_.begin());
}

void cluster_ending::receive(std::uint32_t from, cluster_message const& message) {
  if (message.what == kind::finished)
    finished_[from] = true;
  else
    is_over_ = true;
}

void cluster_ending::decide(bool is_finished, std::vector<outgoing_message>& out) {
  auto const first = coordinator();
  if (is_finished && told_ != first) {
    told_ = first;
    if (first == rank_)
      finished_[rank_] = true;
    else
      out.push_back({first, {.what = kind::finished}});
  }
  bool const is_first_to_know = first == rank_ && !is_over_ && all_have_finished();
  is_over_ = is_over_ || is_first_to_know;
  // The rank that announced the end may have been lost before all had heard it.
  if (is_first_to_know || (is_over_ && has_losses_))
    if (!std::exchange(has_passed_on_, true)) send_all(kind::end, out);
}

void cluster_ending::send_all(kind what, std::vector<outgoing_message>& out) const {
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (rank != rank_ && !is_lost_[rank]) out.push_back({rank, {.what = what}});
}

bool cluster_ending::all_have_finished() const {
  for (std::uint32_t rank = 0; rank < is_lost_.size(); ++rank)
    if (!is_lost_[rank] && !finished_[rank]) return false;
  return true;
}

}  // namespace ballast::detail
