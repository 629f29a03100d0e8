// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/base/free_ranges.hpp"

#include <iterator>
#include <string>

#include "ballast/error.hpp"

namespace ballast::detail {

std::optional<byte_range> free_ranges::take(std::size_t bytes) {
  if (bytes == 0) return byte_range{};
  auto best = ends_.end();
  auto const size = [](auto const& range) { return range->second - range->first; };
  for (auto range = ends_.begin(); range != ends_.end(); ++range)
    if (size(range) >= bytes && (best == ends_.end() || size(range) < size(best))) best = range;
  if (best == ends_.end()) return std::nullopt;
  auto const [begin, end] = *best;
  ends_.erase(best);
  if (begin + bytes < end) ends_.emplace(begin + bytes, end);
  return byte_range{begin, begin + bytes};
}

void free_ranges::give_back(byte_range bytes) {
  if (bytes.is_empty()) return;
  auto next = ends_.lower_bound(bytes.begin);
  auto const before = next == ends_.begin() ? ends_.end() : std::prev(next);
  if ((next != ends_.end() && next->first < bytes.end) ||
      (before != ends_.end() && before->second > bytes.begin))
    throw_bad_argument("bytes", std::to_string(bytes.begin) + " to " + std::to_string(bytes.end),
                       "bytes that are taken");
  auto const joins_next = next != ends_.end() && next->first == bytes.end;
  auto const end = joins_next ? next->second : bytes.end;
  if (joins_next) ends_.erase(next);
  if (before != ends_.end() && before->second == bytes.begin)
    before->second = end;
  else
    ends_.emplace(bytes.begin, end);
}

std::size_t free_ranges::bytes() const {
  std::size_t sum = 0;
  for (auto const& [begin, end] : ends_) sum += end - begin;
  return sum;
}

}  // namespace ballast::detail
