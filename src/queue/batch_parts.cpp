// SPDX-License-Identifier: Apache-2.0
#include "batch_parts.hpp"

#include <algorithm>

namespace ballast::detail {

batch_parts::batch_parts(std::size_t tasks, std::size_t parts) {
  for (std::size_t part = 0; part < parts; ++part) {
    auto const first = tasks * part / parts;
    parts_.push_back({first, tasks * (part + 1) / parts - first});
  }
}

batch_parts::range batch_parts::take(std::size_t device, std::uint64_t max_count) {
  auto& own = parts_[device % parts_.size()];
  auto& from = own.count > 0 ? own : *std::ranges::max_element(parts_, {}, &range::count);
  auto const count = std::size_t(std::min<std::uint64_t>(max_count, from.count));
  from.count -= count;
  if (&from != &own) return {from.first + from.count, count};
  from.first += count;
  return {from.first - count, count};
}

bool batch_parts::empty() const {
  return std::ranges::all_of(parts_, [](auto const& part) { return part.count == 0; });
}

}  // namespace ballast::detail
