// SPDX-License-Identifier: Apache-2.0
#include "growing_union.hpp"

#include <utility>

namespace ballast::mesicc {
void growing_union::add(isl::set const& more) {
  if (has(more)) return;
  block last{1, more};
  auto kept = blocks_.size();
  for (; kept > 0 && blocks_[kept - 1].sets == last.sets; --kept)
    last = {2 * last.sets, in_fewer_pieces(blocks_[kept - 1].together.unite(last.together))};
  added_.insert(more);
  blocks_.erase(blocks_.begin() + std::ptrdiff_t(kept), blocks_.end());
  blocks_.push_back(std::move(last));
}

isl::set growing_union::all() const {
  auto together = none_;
  for (auto const& one : blocks_) together = together.unite(one.together);
  return together;
}

}  // namespace ballast::mesicc
