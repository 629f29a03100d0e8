// SPDX-License-Identifier: Apache-2.0
#include "slot_schedule.hpp"

#include <cmath>

namespace ballast::detail {

void slot_schedule::add(double blocks, double block_ns) {
  auto const used = fill_up_to_a_window(blocks, block_ns);
  add_rounds(used, blocks, block_ns);
  sort(used);
  add_rest(blocks, block_ns);
  sort(count_);
  join_equals();
  if (count_ > max_classes) join_closest();
}

/// Fills the classes that are free before the blocks run out until each is free within one block's time of
/// the last of them, and gives how many classes that are. What is left of `blocks` all goes to these.
std::size_t slot_schedule::fill_up_to_a_window(double& blocks, double block_ns) {
  std::array<double, max_classes + 1> wanted;
  for (std::size_t used = 1; used < count_; ++used) {
    double const next = classes_[used].until;
    double sum = 0;
    for (std::size_t i = 0; i < used; ++i) {
      wanted[i] = std::ceil((next - classes_[i].until) / block_ns);
      sum += wanted[i] * classes_[i].slots;
    }
    if (sum > blocks) return used;
    for (std::size_t i = 0; i < used; ++i) classes_[i].until += wanted[i] * block_ns;
    blocks -= sum;
  }
  return count_;
}

/// In each block's time every slot of the window takes one.
void slot_schedule::add_rounds(std::size_t used, double& blocks, double block_ns) {
  double slots = 0;
  for (std::size_t i = 0; i < used; ++i) slots += classes_[i].slots;
  double const rounds = std::floor(blocks / slots);
  for (std::size_t i = 0; i < used; ++i) classes_[i].until += rounds * block_ns;
  blocks -= rounds * slots;
}

/// Less than a block for each slot of the window: the first of them get one.
void slot_schedule::add_rest(double blocks, double block_ns) {
  for (std::size_t i = 0; blocks > 0; ++i) {
    auto& first = classes_[i];
    if (blocks < first.slots) {
      classes_[count_++] = {first.until + block_ns, blocks};
      first.slots -= blocks;
      return;
    }
    first.until += block_ns;
    blocks -= first.slots;
  }
}

void slot_schedule::sort(std::size_t used) {
  for (std::size_t i = 1; i < used; ++i) {
    auto const one = classes_[i];
    auto place = i;
    for (; place > 0 && classes_[place - 1].until > one.until; --place) classes_[place] = classes_[place - 1];
    classes_[place] = one;
  }
}

void slot_schedule::join_equals() {
  std::size_t last = 0;
  for (std::size_t i = 1; i < count_; ++i)
    if (classes_[i].until == classes_[last].until)
      classes_[last].slots += classes_[i].slots;
    else
      classes_[++last] = classes_[i];
  count_ = last + 1;
}

void slot_schedule::join_closest() {
  std::size_t closest = 0;
  for (std::size_t i = 1; i + 2 < count_; ++i)
    if (classes_[i + 1].until - classes_[i].until < classes_[closest + 1].until - classes_[closest].until)
      closest = i;
  auto& one = classes_[closest];
  auto const other = classes_[closest + 1];
  one.until = (one.until * one.slots + other.until * other.slots) / (one.slots + other.slots);
  one.slots += other.slots;
  for (auto i = closest + 1; i + 1 < count_; ++i) classes_[i] = classes_[i + 1];
  --count_;
}

}  // namespace ballast::detail
