// SPDX-License-Identifier: Apache-2.0
#include "plain_times.hpp"

#include <algorithm>
#include <utility>

namespace ballast::detail {

static std::uint64_t both(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }

std::size_t plain_times::hash_of::operator()(plain_shape const& what) const {
  auto const& [grid, block, shared_bytes] = what.shape;
  auto const* const type = what.function ? what.function.identity() : what.callable;
  auto hash = mixed(0, reinterpret_cast<std::uintptr_t>(type));
  hash = mixed(hash, both(grid.x, grid.y));
  hash = mixed(hash, both(grid.z, block.x));
  hash = mixed(hash, both(block.y, block.z));
  return mixed(hash, shared_bytes);
}

std::int64_t plain_times::of(plain_shape const& what) const {
  auto const place = shapes_.find(what);
  return place == shapes_.end() ? 0 : place->second.ns;
}

bool plain_times::is_due(plain_shape const& what) {
  auto place = shapes_.find(what);
  if (place == shapes_.end() && shapes_.size() == max_shapes) return false;
  if (place == shapes_.end()) place = shapes_.emplace(what, known{}).first;
  auto& shape = place->second;
  return ++shape.launches >= shape.next_measured && measured_ == nullptr;
}

void plain_times::begin(plain_shape const& what) {
  auto& shape = shapes_.at(what);
  shape.next_measured = shape.launches + std::min(3 * shape.launches, max_between_measurements);
  measured_ = &shape;
}

void plain_times::record(std::int64_t span_ns) {
  auto& ns = std::exchange(measured_, nullptr)->ns;
  if (span_ns < 1) return;
  bool const is_news = ns == 0 || span_ns < ns;
  ns = is_news ? span_ns : ns + (span_ns - ns) / 8;
}

}  // namespace ballast::detail
