// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballast::detail {

/// Which of a batch's tasks no device was given yet, in equal parts of consecutive tasks. With a part for
/// each device a device takes the front of its own first, so that it works on what lies together, and then
/// what others left, from the end of the largest part (affinity scheduling, Markatos and LeBlanc 1994). With
/// one part all take its front. Pure.
class batch_parts {
 public:
  struct range {
    std::size_t first = 0, count = 0;
  };

  /// `parts`: at least 1.
  batch_parts(std::size_t tasks, std::size_t parts);

  /// Up to `max_count` tasks for the device; fewer where a part ends, none if nothing is left.
  range take(std::size_t device, std::uint64_t max_count);
  bool empty() const;
  /// What is left.
  std::vector<range> const& rest() const { return parts_; }

 private:
  std::vector<range> parts_;
};

}  // namespace ballast::detail
