// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "cluster_message.hpp"

namespace ballast::detail {

/// Finds out which tasks a lost rank had, though nobody keeps a record of where tasks go: every living rank
/// says what it has, and what is missing was there. What is on its way between two of them must not be
/// missing: each says on every channel that it knows of the loss, gives nothing from then on, and counts what
/// it has once all others have said so, since all that was given before has come then (the markers of Chandy
/// and Lamport 1985). Costs nothing while no rank is lost, and a message between any two when one is.
class loss_census {
 public:
  explicit loss_census(std::uint32_t rank, std::uint32_t ranks);

  /// False if that was known.
  bool lose(std::uint32_t rank);
  bool is_lost(std::uint32_t rank) const { return is_lost_[rank]; }
  std::vector<std::uint32_t> lost() const { return {lost_.begin(), lost_.end()}; }
  /// `from` knows of the loss of `lost`.
  void heard(std::uint32_t from, std::uint32_t lost) { told_[from].insert(lost); }

  /// True if tasks must not leave the rank, since it has not reported its holdings.
  bool is_frozen() const { return counted_ < lost_.size(); }
  /// True if the rank must report its holdings now; notes that it did.
  bool is_due() const;
  void count() { counted_ = lost_.size(); }

  /// Adds what a rank, or the rank itself, has of the rank's own tasks.
  void add(std::uint32_t from, cluster_message const& census);
  /// True if all living ranks have said what they have, for the first time since the last loss; then held()
  /// is that.
  bool is_complete();
  std::vector<task_range> held() const;
  /// As of range_backlog.
  template <class Note>
  void note_state(Note&& note) const {
    note(lost_, told_, counted_, completed_, holdings_);
  }

 private:
  struct holdings {
    std::vector<std::uint32_t> lost;  ///< that the rank knew of
    std::vector<task_range> ranges;
    bool is_whole = false;
    template <class Note>
    void note_state(Note&& note) const {
      note(lost, ranges, is_whole);
    }
  };

  std::uint32_t rank_;
  std::vector<bool> is_lost_;
  std::set<std::uint32_t> lost_;
  std::vector<std::set<std::uint32_t>> told_;  ///< by each rank
  std::size_t counted_ = 0;                    ///< losses
  std::size_t completed_ = 0;                  ///< losses
  std::vector<holdings> holdings_;             ///< of each rank
};

}  // namespace ballast::detail
