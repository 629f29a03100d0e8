// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "arrays/operations.hpp"
#include "ballast/access_map.hpp"

namespace ballast::detail {

/// True if two parts form one range.
inline bool adjoin(job_part one, job_part other) {
  return one.first + one.count == other.first || other.first + other.count == one.first;
}

/// The range that two adjacent parts form.
inline job_part range_of_both(job_part one, job_part other) {
  return {std::min(one.first, other.first), one.count + other.count};
}

/// The address of element 0 of an argument's array. None: a task uses no element of the array, so any address
/// will do. Address 0 is not special: the first array in a device's memory lies at offset 0.
using array_address = std::optional<std::uintptr_t>;

/// The addresses in the form that kernels take; null if any address will do.
inline std::vector<void*> pointers_to(std::vector<array_address> const& arrays) {
  std::vector<void*> found;
  found.reserve(arrays.size());
  for (auto const array : arrays) found.push_back(reinterpret_cast<void*>(array.value_or(0)));
  return found;
}

/// The units of one launch, and the addresses of its arguments' arrays.
struct task_extent {
  job_part part{};
  std::vector<array_address> arrays{};

  /// True if one launch can compute both: the parts are adjacent, and no argument needs two addresses.
  bool can_take(task_extent const& other) const {
    auto const agree = [](array_address one, array_address another) {
      return !one || !another || *one == *another;
    };
    return adjoin(part, other.part) && std::ranges::equal(arrays, other.arrays, agree);
  }
  /// Adds the units and addresses of `other`, which can_take(other) must allow.
  void take(task_extent const& other) {
    part = range_of_both(part, other.part);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (!arrays[i]) arrays[i] = other.arrays[i];
  }
};

/// Tasks are joined into one launch only if it ends this soon: in a longer one the first task would report
/// its end late. Launching one alone and seeing its end takes 5 us on a GPU, and some 20 us on CPU cores,
/// whose threads must be woken.
inline constexpr std::int64_t longest_joined_ns = 20'000, longest_joined_ns_on_cores = 50'000;

/// The size up to which one site's launches end within `longest_ns` on one device, learned from earlier
/// launches. It averages, because if two ends are seen at once the first gets all the time. A value.
class joinable_length {
 public:
  explicit joinable_length(std::int64_t longest_ns) : longest_ns_(double(longest_ns)) {}

  /// Records that a launch of `units`, above 0, took this time. `at_once`: units that the device runs
  /// concurrently, 0 if unknown.
  void note(std::uint32_t units, std::uint64_t at_once, std::int64_t ns) {
    auto const weight = waves_ == 0 ? 1 : 0.25;
    waves_ += weight * (double(waves(units, at_once)) - waves_);
    ns_ += weight * (double(ns) - ns_);
  }
  /// True if a launch of `units` should end in that time, even if its time grows in proportion to its size;
  /// false until a launch was recorded.
  bool has_room_for(std::uint32_t units, std::uint64_t at_once) const {
    return waves_ != 0 && double(waves(units, at_once)) * ns_ <= longest_ns_ * waves_;
  }

 private:
  static std::uint64_t waves(std::uint32_t units, std::uint64_t at_once) {
    auto const each = std::max<std::uint64_t>(at_once, 1);
    return (units + each - 1) / each;
  }

  double longest_ns_;
  double waves_ = 0, ns_ = 0;  ///< of a launch
};

/// The latest kernels of a device, to which one more may be joined.
struct newest_kernels {
  op_id newest{};  ///< none: nothing may be joined
  op_stream on{};
  job_number job{};
  task_extent extent{};  ///< of all together; addresses count from the device's memory
};

}  // namespace ballast::detail
