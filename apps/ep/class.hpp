// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ballast::ep {

/// Square annuli: l <= max(|X|, |Y|) < l + 1.
inline constexpr std::uint32_t annuli = 10;

/// The result of a run: the sums of the pairs of normal deviates (X, Y), and the number in each annulus.
struct tally {
  double sx = 0, sy = 0;
  std::array<std::uint64_t, annuli> counts{};

  std::uint64_t pairs() const;
  bool operator==(tally const&) const = default;
};

/// A problem class of the NAS Parallel Benchmarks: 2^log2_pairs pairs of uniform numbers, and the known part
/// of the answer. Sums: NPB 3.3, signed. Accepted pairs: NPB 3.4. Counts: by a separate integer program, for
/// all classes but E.
struct problem_class {
  char name;
  std::uint32_t log2_pairs;
  double sx, sy;
  std::uint64_t pairs;
  std::optional<std::array<std::uint64_t, annuli>> counts;
};

/// The classes S, W, A, B, C, D and E.
std::span<problem_class const> problem_classes();
/// The class of that name. Throws bad_argument ("class"), which lists them.
problem_class const& class_named(std::string_view name);

/// True if the sums are within the benchmark's 1e-8 of their size, and the numbers of pairs are equal.
bool is_right(tally const& found, problem_class const& expected);

inline constexpr std::uint32_t max_log2_pairs = 40;

/// How the 2^log2_pairs pairs (0 to 40) are cut into equal batches, one for each thread: about 2^22 batches,
/// of 2^8 to 2^16 pairs.
struct batches {
  explicit batches(std::uint32_t log2_pairs);

  std::uint32_t count() const { return std::uint32_t{1} << log2_count; }
  std::uint32_t pairs_of_each() const { return std::uint32_t{1} << log2_pairs_of_each; }

  std::uint32_t log2_count, log2_pairs_of_each;
};

/// The sum over all blocks of batches in their order, independent of which device computed them. The spans
/// hold the sums of each block, and its counts consecutively.
tally sum_of(std::span<double const> sx, std::span<double const> sy, std::span<std::uint32_t const> counts);

}  // namespace ballast::ep
