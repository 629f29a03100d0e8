// SPDX-License-Identifier: Apache-2.0
#include "cluster_ending.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {

using kind = cluster_message::kind;

cluster_ending::cluster_ending(std::uint32_t rank, std::uint32_t ranks)
    : rank_(rank), is_lost_(ranks), finished_(ranks), left_(ranks), quiet_(ranks) {}

std::uint32_t cluster_ending::coordinator() const {
  return std::uint32_t(std::ranges::find(is_lost_, false) - is_lost_.begin());
}

void cluster_ending::receive(std::uint32_t from, cluster_message const& message) {
  switch (message.what) {
    case kind::finished:
      finished_[from] = true;
      break;
    case kind::quiet:
      quiet_[from] = counts{message.sent, message.received};
      break;
    case kind::end:
      has_begun_ = true;
      break;
    case kind::bye:
      left_[from] = true;
      break;
    default:
      break;
  }
}

void cluster_ending::decide(bool is_finished, std::uint64_t sent, std::uint64_t received,
                            std::vector<outgoing_message>& out) {
  if (is_over_) return;
  auto const first = coordinator();
  if (is_finished && told_ != first) {
    told_ = first;
    tell({.what = kind::finished}, out);
  }
  bool const is_first_to_know = first == rank_ && !has_begun_ && all_have_finished();
  has_begun_ = has_begun_ || is_first_to_know;
  if (!has_begun_) return;
  // Who told the others may have been lost before all had heard it.
  if ((is_first_to_know || has_losses_) && !std::exchange(has_passed_on_, true)) send_all(kind::end, out);
  if (has_losses_) {
    is_over_ = true;
    return;
  }
  if (counts const now{sent, received}; reported_ != now) {
    reported_ = now;
    tell({.what = kind::quiet, .sent = sent, .received = received}, out);
  }
  if (first == rank_) return lead(out);
  if (!left_[first]) return;
  is_over_ = true;
  tell({.what = kind::bye}, out);
}

// The coordinator goes last, as a rank may have told it of more answers before it heard bye.
void cluster_ending::lead(std::vector<outgoing_message>& out) {
  if (!left_[rank_] && is_nothing_under_way()) {
    left_[rank_] = true;
    send_all(kind::bye, out);
  }
  is_over_ = std::ranges::find(left_, false) == left_.end();
}

void cluster_ending::tell(cluster_message message, std::vector<outgoing_message>& out) {
  if (coordinator() == rank_)
    receive(rank_, message);
  else
    out.push_back({coordinator(), std::move(message)});
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

/// The counts are of different times. Whoever sends after it was counted answers a message that was under way
/// then, so that the difference is the number of messages that were not counted as received.
bool cluster_ending::is_nothing_under_way() const {
  counts sum;
  for (auto const& one : quiet_) {
    if (!one) return false;
    sum.sent += one->sent;
    sum.received += one->received;
  }
  return sum.sent == sum.received;
}

}  // namespace ballast::detail
