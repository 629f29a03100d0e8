// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace ballast::inline device {

class launch_extent;

/// What has the three counts of an extent, as CUDA's dim3.
template <class T>
concept has_three_counts = !std::same_as<T, launch_extent> && requires(T const& counts) {
  requires std::integral<std::remove_cvref_t<decltype(counts.x)>>;
  requires std::integral<std::remove_cvref_t<decltype(counts.y)>>;
  requires std::integral<std::remove_cvref_t<decltype(counts.z)>>;
};

/// How many blocks or threads there are in each dimension. Made implicitly from one to three counts and from
/// whatever has_three_counts. A negative count, and one that 32 bits do not hold, becomes the greatest of 32
/// bits, which no launch accepts.
class launch_extent {
 public:
  constexpr launch_extent() = default;
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr launch_extent(X in_x, Y in_y = 1, Z in_z = 1)
      : x(counted(in_x)), y(counted(in_y)), z(counted(in_z)) {}
  template <has_three_counts Counts>
  constexpr launch_extent(Counts const& counts) : launch_extent(counts.x, counts.y, counts.z) {}

  constexpr bool operator==(launch_extent const&) const = default;

  std::uint32_t x = 1, y = 1, z = 1;

 private:
  template <std::integral Count>
  static constexpr std::uint32_t counted(Count count) {
    using word = std::numeric_limits<std::uint32_t>;
    return std::in_range<std::uint32_t>(count) ? std::uint32_t(count) : word::max();
  }
};

/// What stands between <<< and >>> in a launch: blocks, threads of a block, and the dynamic shared memory of
/// a block. Which of them are legal is the device's matter: the launch says.
struct launch_shape {
  launch_extent grid, block;
  std::uint32_t shared_bytes = 0;

  constexpr bool operator==(launch_shape const&) const = default;
};

}  // namespace ballast::inline device
