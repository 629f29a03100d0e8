// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace ballast::detail {

/// Until when each of a device's slots is busy, where a slot executes one block at a time: blocks go to the
/// slot that is free first. Slots that are busy equally long are a class, so the cost does not grow with the
/// blocks. It is exact as long as there are no more classes than are kept; beyond that two neighbours become
/// one of the same mean, never the latest, whose end is what is asked.
class slot_schedule {
 public:
  explicit slot_schedule(double slots) : classes_{{{0, slots}}} {}

  /// Blocks of `block_ns` > 0 each.
  void add(double blocks, double block_ns);

  double latest() const { return classes_[count_ - 1].until; }

 private:
  static constexpr std::size_t max_classes = 8;
  struct load_class {
    double until, slots;
  };

  std::size_t fill_up_to_a_window(double& blocks, double block_ns);
  void add_rounds(std::size_t used, double& blocks, double block_ns);
  void add_rest(double blocks, double block_ns);
  void sort(std::size_t used);
  void join_equals();
  void join_closest();

  std::array<load_class, max_classes + 1> classes_;  ///< by time
  std::size_t count_ = 1;
};

}  // namespace ballast::detail
