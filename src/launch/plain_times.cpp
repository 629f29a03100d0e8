// SPDX-License-Identifier: Apache-2.0
#include "plain_times.hpp"

#include <algorithm>

namespace ballast::detail {

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
