// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster_message.hpp"

namespace ballast::detail {

/// How the ranks find out that no task is left anywhere. A rank whose own tasks have all ended, and which
/// will submit no more, notifies the coordinator, the first living rank; once all have, the coordinator
/// notifies all. Every task belongs to the rank where it was submitted, which knows its end, so messages need
/// not be counted as where nobody does (Mattern 1987, "Algorithms for distributed termination detection").
class cluster_ending {
 public:
  cluster_ending(std::uint32_t rank, std::uint32_t ranks);

  void lose(std::uint32_t rank) { is_lost_[rank] = has_losses_ = true; }
  /// Takes the messages finished and end.
  void receive(std::uint32_t from, cluster_message const& message);
  /// Appends the messages that are due. `is_finished`: the rank's own tasks have ended and no more will come.
  void decide(bool is_finished, std::vector<outgoing_message>& out);
  bool is_over() const { return is_over_; }
  /// As of range_backlog.
  template <class Note>
  void note_state(Note&& note) const {
    note(is_lost_, told_, has_passed_on_, is_over_, finished_);
  }

 private:
  std::uint32_t coordinator() const;
  void send_all(cluster_message::kind what, std::vector<outgoing_message>& out) const;
  bool all_have_finished() const;

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  bool has_losses_ = false, has_passed_on_ = false, is_over_ = false;
  std::optional<std::uint32_t> told_;  ///< the coordinator that knows that the rank has finished
  std::vector<bool> finished_;         ///< each rank, as the coordinator knows it
};

}  // namespace ballast::detail
