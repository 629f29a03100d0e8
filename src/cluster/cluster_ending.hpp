// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cluster_message.hpp"

namespace ballast::detail {

/// How the ranks end together. A rank whose own tasks have all ended, and which will submit no more, tells
/// the coordinator, the first living rank. Every task belongs to one rank, so once all have told it no task
/// is anywhere. From then on nobody asks, so that a message is an answer at most, and when as many were
/// received as sent none is under way. (Mattern's four counters, 1987, need a second wave because tasks may
/// be anywhere; here the ranks know their own.) After a loss the messages cannot be counted, and the last
/// step is left out.
class cluster_ending {
 public:
  explicit cluster_ending(std::uint32_t rank, std::uint32_t ranks);

  void lose(std::uint32_t rank) { is_lost_[rank] = has_losses_ = true; }
  /// Takes the messages finished, end, quiet and bye.
  void receive(std::uint32_t from, cluster_message const& message);
  /// What there is to say now. `is_finished`: the rank's own tasks have ended and no more will come. `sent`
  /// and `received` count messages of other kinds.
  void decide(bool is_finished, std::uint64_t sent, std::uint64_t received,
              std::vector<outgoing_message>& out);

  /// Whether no rank has a task: nobody is to ask any more.
  bool has_begun() const { return has_begun_; }
  bool is_over() const { return is_over_; }
  /// Whether it is over and every message was received.
  bool is_clean() const { return is_over_ && !has_losses_; }
  /// As of range_backlog.
  template <class Note>
  void note_state(Note&& note) const {
    note(is_lost_, told_, has_begun_, has_passed_on_, is_over_, reported_, finished_, left_, quiet_);
  }

 private:
  struct counts {
    std::uint64_t sent = 0, received = 0;
    template <class Note>
    void note_state(Note&& note) const {
      note(sent, received);
    }
    bool operator==(counts const&) const = default;
  };

  std::uint32_t coordinator() const;
  void send_all(cluster_message::kind what, std::vector<outgoing_message>& out) const;
  void tell(cluster_message message, std::vector<outgoing_message>& out);
  void lead(std::vector<outgoing_message>& out);
  bool all_have_finished() const;
  bool is_nothing_under_way() const;

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  bool has_losses_ = false;
  std::optional<std::uint32_t> told_;  ///< the coordinator that knows that the rank has finished
  bool has_begun_ = false, has_passed_on_ = false, is_over_ = false;
  std::optional<counts> reported_;
  // Of each rank, as the coordinator knows it, and whether the coordinator has said bye:
  std::vector<bool> finished_, left_;
  std::vector<std::optional<counts>> quiet_;
};

}  // namespace ballast::detail
