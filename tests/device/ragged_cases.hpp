// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ballast/segments.cuh"

namespace ballast::test {

using ends_list = std::vector<std::uint32_t>;

inline ends_list ends_of(std::vector<std::uint32_t> const& lengths) {
  ends_list ends;
  for (auto const length : lengths) ends.push_back((ends.empty() ? 0 : ends.back()) + length);
  return ends;
}

/// Lengths of which one in a hundred is a thousand times as long.
inline std::vector<std::uint32_t> mostly_short(std::uint32_t segments, std::uint32_t seed) {
  std::mt19937 draw(seed);
  std::vector<std::uint32_t> lengths(segments);
  for (auto& length : lengths) length = std::uint32_t(draw() % 5 * (draw() % 100 == 0 ? 1000 : 1));
  return lengths;
}

inline std::vector<std::uint32_t> around(std::vector<std::uint32_t> inner, std::uint32_t count,
                                         std::uint32_t length) {
  inner.insert(inner.begin(), count, length);
  inner.insert(inner.end(), count, length);
  return inner;
}

/// Also segments that end at, before and after the border of a share.
inline std::vector<ends_list> ragged_cases() {
  using lengths = std::vector<std::uint32_t>;
  constexpr auto share = detail::share_size;
  std::vector<ends_list> cases;
  for (lengths const& each : {lengths(),
                              {0},
                              {1},
                              lengths(5000, 0),
                              {100'000},
                              around({3, 0, 0, 70'000, 0, 1}, share + 50, 0),
                              around({90'000}, 3000, 1),
                              {share - 1, share - 1, share - 2, 1, share},
                              {share - 1},
                              {share},
                              {2 * share - 1, 0, 1},
                              around({10'000, 0, 20'000, 5}, 7, 3000),
                              around({}, 2000, 2),
                              mostly_short(3000, 1),
                              mostly_short(9000, 2)})
    cases.push_back(ends_of(each));
  return cases;
}

}  // namespace ballast::test
