// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "class.hpp"

namespace ballast::ep {

inline constexpr std::uint32_t max_log2_pairs = 40;

/// How the 2^log2_pairs pairs (0 to 40) are cut into equal batches, one for each thread: about 2^22, of 2^8
/// to 2^16 pairs.
struct batches {
  explicit batches(std::uint32_t log2_pairs);

  std::uint32_t count() const { return std::uint32_t{1} << log2_count; }
  std::uint32_t pairs_of_each() const { return std::uint32_t{1} << log2_pairs_of_each; }

  std::uint32_t log2_count, log2_pairs_of_each;
};

/// What all blocks of batches found together, added up in their order, whoever computed them. The spans hold
/// the sums of each block, and its counts one after the other.
tally sum_of(std::span<double const> sx, std::span<double const> sy, std::span<std::uint32_t const> counts);

}  // namespace ballast::ep
