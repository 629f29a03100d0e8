// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ballast/access_map.hpp"
#include "job_record.hpp"

namespace ballast::detail {

/// The units, or rows, of `whole` that belong to a rank: equally many for all, or one more for the first
/// ranks.
index_range part_of_rank(std::size_t whole, std::uint32_t rank, std::uint32_t ranks);

/// How many units of a job a rank computed, and for how long.
struct rank_time {
  std::uint64_t units = 0, ns = 0;
};

/// Which units of its jobs each rank computes: as many for all until it learns how long the ranks took, then
/// more for the faster. Equal times give equal shares on all ranks: it reckons in whole numbers. Pure; one
/// thread at a time.
class rank_shares {
 public:
  explicit rank_shares(std::uint32_t ranks) : ranks_(ranks) {}

  /// True if the ranks are to compare times before the next job of a site: before the third, the fifth, the
  /// ninth, and so on, always twice as many later.
  bool is_due(job_site const& site) const;
  /// Learns from each rank's time for the newest job. Shares change if that promises 3% at least.
  void learn(job_site const& site, std::span<rank_time const> of_ranks);
  /// A job of the site begins.
  void count(job_site const& site) { ++sites_[site].jobs; }
  index_range part(job_site const& site, std::uint64_t units, std::uint32_t rank) const;

 private:
  struct learned {
    std::uint64_t jobs = 0;
    std::vector<std::uint64_t> weights{};  ///< of each rank; none: all are alike
  };

  std::uint32_t const ranks_;
  std::map<job_site, learned> sites_;
};

}  // namespace ballast::detail
