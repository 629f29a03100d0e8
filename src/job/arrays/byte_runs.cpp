// SPDX-License-Identifier: Apache-2.0
#include "arrays/byte_runs.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

namespace ballast::detail {
namespace {

/// Joins rows of one plane that fill their pitch into one row.
pitched_run with_rows_joined(pitched_run run) {
  if (run.rows > 1 && run.length < run.row_pitch) return run;
  run.length *= run.rows;
  run.rows = 1;
  run.row_pitch = 0;
  return run;
}

/// Joins planes into one if the rows of each continue in the next.
pitched_run with_planes_joined(pitched_run run) {
  auto const as_rows = run.rows == 1;
  if (run.planes > 1 && !as_rows && run.plane_pitch != run.rows * run.row_pitch) return run;
  if (as_rows) run.row_pitch = run.plane_pitch;
  run.rows *= run.planes;
  run.planes = 1;
  run.plane_pitch = 0;
  return run;
}

/// Items of equal extent at equal distances, without overlap.
struct repetition {
  std::size_t first, extent, pitch, count;

  /// The number of items that begin before `at`.
  std::size_t begun_before(std::size_t at) const {
    return at <= first ? 0 : limited((at - first - 1) / step() + 1);
  }
  /// The number of items that end at `at` or before.
  std::size_t ended_by(std::size_t at) const {
    return at < first + extent ? 0 : limited((at - first - extent) / step() + 1);
  }
  std::size_t step() const { return std::max<std::size_t>(pitch, 1); }
  std::size_t limited(std::size_t number) const { return std::min(number, count); }
};

/// Calls whole(index, count) for the items within the bounds, and cut(index) for each item that a bound may
/// cut, ascending.
void divide(repetition const& all, byte_range bounds, auto whole, auto cut) {
  auto const from = all.begun_before(bounds.begin), to = all.ended_by(bounds.end);
  if (from > 0) cut(from - 1);
  if (from < to) whole(from, to - from);
  if (to < all.count && to >= from) cut(to);
}

class intersecting {
 public:
  explicit intersecting(byte_range bounds) : bounds_(bounds) {}

  void add_planes(pitched_run const& run) {
    divide(
        {run.first, run.plane_extent(), run.plane_pitch, run.planes}, bounds_,
        [&](std::size_t index, std::size_t count) {
          add({run.first + index * run.plane_pitch, run.length, run.rows, run.row_pitch, count,
               run.plane_pitch});
        },
        [&](std::size_t index) {
          add_rows({run.first + index * run.plane_pitch, run.length, run.rows, run.row_pitch, 1, 0});
        });
  }
  std::vector<pitched_run> found() && { return std::move(found_); }

 private:
  void add_rows(pitched_run const& plane) {
    divide(
        {plane.first, plane.length, plane.row_pitch, plane.rows}, bounds_,
        [&](std::size_t index, std::size_t count) {
          add({plane.first + index * plane.row_pitch, plane.length, count, plane.row_pitch, 1, 0});
        },
        [&](std::size_t index) { add_row(plane.first + index * plane.row_pitch, plane.length); });
  }
  void add_row(std::size_t first, std::size_t length) {
    auto const begin = std::max(first, bounds_.begin), end = std::min(first + length, bounds_.end);
    if (begin < end) add({begin, end - begin, 1, 0, 1, 0});
  }
  void add(pitched_run const& run) { found_.push_back(normalised(run)); }

  byte_range bounds_;
  std::vector<pitched_run> found_;
};

/// The non-empty ranges, ascending; those that meet or overlap are joined.
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

void append(std::vector<byte_range>& to, byte_range more) {
  if (!to.empty() && more.begin <= to.back().end)
    to.back().end = std::max(to.back().end, more.end);
  else
    to.push_back(more);
}

pitched_run normalised(pitched_run run) {
  if (run.bytes() == 0) return {};
  return with_rows_joined(with_planes_joined(with_rows_joined(run)));
}

std::vector<pitched_run> intersection(pitched_run const& run, byte_range bounds) {
  if (bounds.is_empty() || run.bytes() == 0) return {};
  intersecting result(bounds);
  result.add_planes(run);
  return std::move(result).found();
}

byte_runs::byte_runs(region const& elements, extents const& array, std::size_t element_bytes)
    : runs_(std::visit(flattening(array, element_bytes), elements.content())) {}

byte_runs::byte_runs(std::vector<byte_range> const& ranges) {
  for (auto const range : ranges)
    if (!range.is_empty()) runs_.push_back(normalised({.first = range.begin, .length = range.size()}));
}

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
