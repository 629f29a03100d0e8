// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/detail/device/qualifiers.cuh"
#include "ballast/detail/launch/completion_signal.cuh"

namespace ballast::detail {

/// The arguments of a kernel in a launch are copied in pieces of this size.
inline constexpr std::uint32_t argument_piece = 16;

/// The most bytes that the members of a kernel may have; list a larger one as indirect<K>.
inline constexpr std::size_t max_kernel_bytes = 192;

/// The parameter of a kernel that is launched by itself.
struct lone_launch {
  alignas(argument_piece) unsigned char kernel[max_kernel_bytes];
  completion_signal end;
};

/// One kernel of a merged launch. A kernel of one block may be chained to another of one block that it has to
/// follow: then it comes right behind that one and has the same `end`, and the same block of threads runs it
/// afterwards.
struct merged_member {
  std::uint32_t end = 0;       ///< its last block and one, counted over the launch
  std::uint16_t kernel = 0;    ///< its place in the family
  std::uint16_t argument = 0;  ///< where its arguments begin, in pieces
};

/// The parameter of a merged launch: several kernels of one family, whose blocks follow each other, and all
/// of their arguments. 8 KiB, up to which a launch costs the host no more than an empty one
/// (docs/decisions/0011).
struct merged_launch {
  static constexpr std::uint32_t max_kernels = max_launch_kernels;
  static constexpr std::uint32_t max_argument_bytes = 6848;

  completion_signal end;
  std::uint32_t blocks = 0;   ///< of all
  std::uint32_t kernels = 0;  ///< at least 1
  merged_member members[max_kernels];
  alignas(argument_piece) unsigned char arguments[max_argument_bytes];

  /// Which member the block belongs to: members[place].
  BALLAST_HD std::uint32_t member_of(std::uint32_t block) const {
    std::uint32_t low = 0, high = kernels - 1;
    while (low < high) {
      std::uint32_t const middle = (low + high) / 2;
      if (block < members[middle].end)
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }
  /// After run(), on one thread of the block.
  BALLAST_HD void record_end(std::uint32_t place) const {
    end.record_kernel_end(place, members[place].end - first_of(place));
    end.record_end(blocks);
  }
  /// The first block of a member, counted over the launch.
  BALLAST_HD std::uint32_t first_of(std::uint32_t place) const {
    return place == 0 ? 0 : members[place - 1].end;
  }
};
static_assert(sizeof(merged_launch) == 8192);

}  // namespace ballast::detail
