// SPDX-License-Identifier: Apache-2.0
#include "crowding.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::inline launch {

void crowding::add(double blocks, double block_ns, double shared_ns) {
  needed_ns_ += blocks * shared_ns;
  auto const first = std::min(blocks, left_);
  place(first, block_ns, shared_ns);
  if (left_ > 0) return;
  end_level(1);
  auto const levels = std::floor((blocks - first) / slots_);
  place(slots_, block_ns, shared_ns);
  end_level(levels);
  place(blocks - first - levels * slots_, block_ns, shared_ns);
}

void crowding::place(double blocks, double block_ns, double shared_ns) {
  if (blocks == 0) return;
  note_until(block_ns, 1);
  demand_ += blocks * shared_ns / block_ns;
  shortest_ns_ = block_ns;
  left_ -= blocks;
}

void crowding::end_level(double times) {
  note_until(0, times);
  demand_ = shortest_ns_ = 0;
  left_ = slots_;
}

/// The blocks of `block_ns` that come next in the level end before those that were added.
void crowding::note_until(double block_ns, double times) {
  auto const ns = times * crowded_for(block_ns);
  stretch_ns_ += (demand_ - 1) * ns;
  bound_ns_ += demand_ * ns;
}

double crowding::crowded_for(double from_ns) const {
  return demand_ > 1 ? std::max(shortest_ns_ - from_ns, 0.0) : 0;
}

double crowding::bound_part() const {
  return needed_ns_ > 0 ? std::min((bound_ns_ + demand_ * crowded_for(0)) / needed_ns_, 1.0) : 0;
}

/// Never shorter than what all blocks need of the resource.
double crowding::busy_ns(double unshared_ns) const {
  return std::max(unshared_ns + stretch_ns_ + (demand_ - 1) * crowded_for(0), needed_ns_);
}

}  // namespace ballast::inline launch
