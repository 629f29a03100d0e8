// SPDX-License-Identifier: Apache-2.0
#include "byte_runs.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

namespace ballast::detail {
namespace {

/// Those that are not empty, ascending, joined where they meet.
std::vector<index_range> joined(std::vector<index_range> ranges) {
  std::erase_if(ranges, [](index_range range) { return range.is_empty(); });
  std::ranges::sort(ranges, {}, &index_range::begin);
  std::vector<index_range> result;
  for (auto const range : ranges)
    if (result.empty() || range.begin > result.back().end)
      result.push_back(range);
    else
      result.back().end = std::max(result.back().end, range.end);
  return result;
}

class flattening {
 public:
  flattening(extents const& array, std::size_t element_bytes) : array_(array), each_(element_bytes) {}

  std::vector<pitched_run> operator()(std::vector<index_range> const& ranges) const {
    std::vector<pitched_run> runs;
    for (auto const range : joined(ranges))
      runs.push_back({range.begin * each_, (range.end - range.begin) * each_, 1, 0, 1, 0});
    return runs;
  }

  std::vector<pitched_run> operator()(box const& elements) const {
    if (elements.is_empty()) return {};
    auto const& [planes, rows, columns] = elements.sides;
    auto const row_pitch = array_.sides()[2] * each_, plane_pitch = array_.sides()[1] * row_pitch;
    auto const first = planes.begin * plane_pitch + rows.begin * row_pitch + columns.begin * each_;
    return {normalised({first, (columns.end - columns.begin) * each_, rows.end - rows.begin, row_pitch,
                        planes.end - planes.begin, plane_pitch})};
  }

 private:
  extents const& array_;
  std::size_t each_;
};

}  // namespace

byte_runs::byte_runs(region const& elements, extents const& array, std::size_t element_bytes)
    : runs_(std::visit(flattening(array, element_bytes), elements.content())) {}

std::size_t byte_runs::bytes() const {
  std::size_t sum = 0;
  for (auto const& run : runs_) sum += run.bytes();
  return sum;
}

byte_range byte_runs::hull() const {
  if (runs_.empty()) return {};
  return {runs_.front().first, runs_.back().end()};
}

byte_runs byte_runs::intersect(byte_range bounds) const {
  std::vector<pitched_run> found;
  auto run = std::ranges::partition_point(runs_, [&](auto const& r) { return r.end() <= bounds.begin; });
  for (; run != runs_.end() && run->first < bounds.end; ++run)
    std::ranges::copy(intersection(*run, bounds), std::back_inserter(found));
  return byte_runs(std::move(found));
}

bool byte_runs::overlaps(byte_runs const& other) const {
  if (!overlap(hull(), other.hull())) return false;
  auto const mine = intersect(other.hull()), theirs = other.intersect(hull());
  bool found = false;
  mine.for_each_interval(
      [&](byte_range interval) { found = found || !theirs.intersect(interval).is_empty(); });
  return found;
}

}  // namespace ballast::detail
