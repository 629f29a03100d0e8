// SPDX-License-Identifier: Apache-2.0
#include "segments.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool has_all(byte_range range, byte_range of) { return range.begin <= of.begin && of.end <= range.end; }
[[noreturn]] void throw_bad_segment(byte_range bytes, std::string_view legal) {
  throw_bad_argument("bytes", std::to_string(bytes.begin) + " to " + std::to_string(bytes.end), legal);
}

/// What is left of a segment when bytes at one of its ends are gone.
byte_range without(byte_range all, byte_range gone) {
  return gone.begin == all.begin ? byte_range{gone.end, all.end} : byte_range{all.begin, gone.begin};
}

}  // namespace

segment const* segments::holding(array_id array, byte_range bytes) const {
  auto const found = std::ranges::find_if(
      all_, [&](segment const& one) { return one.array == array && has_all(one.bytes, bytes); });
  return found == all_.end() ? nullptr : &*found;
}

std::vector<segment> segments::overlapping(array_id array, byte_range bytes) const {
  std::vector<segment> found;
  std::ranges::copy_if(all_, std::back_inserter(found),
                       [&](segment const& one) { return one.array == array && overlap(one.bytes, bytes); });
  return found;
}

std::vector<segment> segments::of(array_id array) const {
  std::vector<segment> found;
  std::ranges::copy_if(all_, std::back_inserter(found),
                       [&](segment const& one) { return one.array == array; });
  return found;
}

segment* segments::find(segment_id id) {
  auto const found = std::ranges::find(all_, id, &segment::id);
  return found == all_.end() ? nullptr : &*found;
}

segment& segments::at(segment_id id) {
  if (auto* const found = find(id)) return *found;
  throw_bad_argument("segment", id.value(), "one that is there");
}

segment_id segments::add(array_id array, byte_range bytes, byte_range memory) {
  if (bytes.is_empty() || !overlapping(array, bytes).empty()) throw_bad_segment(bytes, "bytes in no segment");
  all_.push_back({segment_id(++newest_), array, bytes, memory});
  return all_.back().id;
}

byte_range segments::cut(segment_id id, byte_range bytes) {
  auto& one = at(id);
  if (bytes == one.bytes) return remove(id);
  if (!has_all(one.bytes, bytes) || (bytes.begin != one.bytes.begin && bytes.end != one.bytes.end))
    throw_bad_segment(bytes, "at an end of the segment");
  auto const before = one.memory;
  auto const left = without(one.bytes, bytes);
  auto const begin = one.offset_of(left.begin) / memory_alignment * memory_alignment;
  one.bytes = left;
  one.memory = {begin, begin + memory_of(left)};
  return without(before, one.memory);
}

byte_range segments::remove(segment_id id) {
  auto const memory = at(id).memory;
  std::erase_if(all_, [&](segment const& one) { return one.id == id; });
  return memory;
}

}  // namespace ballast::detail
