// SPDX-License-Identifier: Apache-2.0
#include "contention_model.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::detail {

void contention_model::add(double blocks, double block_ns, double shared_ns) {
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

void contention_model::place(double blocks, double block_ns, double shared_ns) {
  if (blocks == 0) return;
  accumulate_until(block_ns, 1);
  demand_ += blocks * shared_ns / block_ns;
  shortest_ns_ = block_ns;
  left_ -= blocks;
}

void contention_model::end_level(double times) {
  accumulate_until(0, times);
  demand_ = shortest_ns_ = 0;
  left_ = slots_;
}

/// The blocks of `block_ns` that come next in the level end before those that were added.
void contention_model::accumulate_until(double block_ns, double times) {
  auto const ns = times * contended_ns(block_ns);
  stretch_ns_ += (demand_ - 1) * ns;
  bound_ns_ += demand_ * ns;
}

double contention_model::contended_ns(double from_ns) const {
  return demand_ > 1 ? std::max(shortest_ns_ - from_ns, 0.0) : 0;
}

double contention_model::bound_part() const {
  return needed_ns_ > 0 ? std::min((bound_ns_ + demand_ * contended_ns(0)) / needed_ns_, 1.0) : 0;
}

/// Never shorter than what all blocks need of the resource.
double contention_model::busy_ns(double unshared_ns) const {
  return std::max(unshared_ns + stretch_ns_ + (demand_ - 1) * contended_ns(0), needed_ns_);
}

}  // namespace ballast::detail
