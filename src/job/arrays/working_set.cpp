// SPDX-License-Identifier: Apache-2.0
#include "arrays/working_set.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "arrays/range_map.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool has_all(byte_range range, byte_range of) { return range.begin <= of.begin && of.end <= range.end; }
[[noreturn]] void throw_bad_segment(byte_range bytes, std::string_view legal) {
  throw_bad_argument("bytes", std::to_string(bytes.begin) + " to " + std::to_string(bytes.end), legal);
}

/// The rest of a segment after bytes at one of its ends were removed.
byte_range without(byte_range all, byte_range gone) {
  return gone.begin == all.begin ? byte_range{gone.end, all.end} : byte_range{all.begin, gone.begin};
}

}  // namespace

class arena::state {
 public:
  state(std::size_t all, operations const& operations)
      : ops(operations), bytes(all), free(all), users(all, {}) {}

  op_set not_ended(std::span<op_id const> some) const {
    op_set found;
    for (auto const op : some) ops.add_newest(found, op);
    return found;
  }

  void check(byte_range memory) const {
    if (memory.end > bytes)
      throw_bad_argument("memory", memory.end, "within the " + std::to_string(bytes) + " bytes");
  }

  operations const& ops;
  std::size_t bytes;
  free_ranges free;
  range_map<op_set> users;  ///< users of memory given back, even if it was taken since
};

arena::arena(std::size_t bytes, operations const& ops)
    : state_(std::make_unique<state>(bytes / memory_alignment * memory_alignment, ops)) {}
arena::arena(arena&&) noexcept = default;
arena::~arena() = default;

std::size_t arena::bytes() const { return state_->bytes; }
free_ranges const& arena::free() const { return state_->free; }

std::optional<byte_range> arena::take(std::size_t bytes) {
  if (bytes % memory_alignment != 0)
    throw_bad_argument("bytes", bytes, "a multiple of " + std::to_string(memory_alignment));
  return state_->free.take(bytes);
}

void arena::add_users(byte_range memory, std::span<op_id const> users) {
  state_->check(memory);
  state_->users.change(memory, [&](op_set& all) {
    all = state_->not_ended(all);
    for (auto const user : users) state_->ops.add_newest(all, user);
  });
}

void arena::give_back(byte_range memory) {
  state_->check(memory);
  state_->free.give_back(memory);
}

op_set arena::users(byte_range memory) const {
  op_set found;
  state_->users.visit(memory, [&](byte_range, op_set const& some) {
    for (auto const user : some) state_->ops.add_newest(found, user);
  });
  return found;
}

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

/// The state that would remain if some segments were evicted.
struct working_set::attempt {
  working_set const& set;
  free_ranges free;
  segments left;

  bool has_room(std::span<needed_bytes const> needs) const {
    auto unused = free;
    return std::ranges::all_of(needs, [&](needed_bytes const& need) {
      return set.is_adopted(need.array) || left.holding(need.array, need.hull) ||
             unused.take(memory_of(set.bytes_to_take(need)));
    });
  }
  void evict(segment_id victim) { free.give_back(left.remove(victim)); }
};

void working_set::add(array_id array, known_array about) {
  if (!arrays_.emplace(array, about).second)
    throw_bad_argument("array", array.value(), "one that is not known");
}

void working_set::add_array(array_id array, std::size_t bytes) { add(array, {bytes, false}); }

void working_set::add_adopted_array(array_id array, std::size_t bytes) { add(array, {bytes, true}); }

bool working_set::is_adopted(array_id array) const {
  auto const found = arrays_.find(array);
  return found != arrays_.end() && found->second.is_adopted;
}

void working_set::remove_array(array_id array, std::span<op_id const> users) {
  if (arrays_.erase(array) == 0) throw_bad_argument("array", array.value(), "one that is known");
  for (auto const& one : segments_.of(array)) {
    memory_.add_users(one.memory, users);
    memory_.give_back(segments_.remove(one.id));
  }
}

bool working_set::has_room_for_all_arrays() const {
  std::size_t left = bytes();
  for (auto const& [array, about] : arrays_) {
    auto const memory = about.is_adopted ? 0 : memory_of({0, about.bytes});
    if (memory > left) return false;
    left -= memory;
  }
  return true;
}

std::vector<located_bytes> working_set::located(array_id array, byte_range bytes) const {
  if (is_adopted(array)) return {{bytes, bytes.begin}};
  std::vector<located_bytes> found;
  for (auto const& one : segments_.overlapping(array, bytes)) {
    auto const part = common(one.bytes, bytes);
    found.push_back({part, one.offset_of(part.begin)});
  }
  std::ranges::sort(found, {}, [](located_bytes const& one) { return one.bytes.begin; });
  return found;
}

bool working_set::holds(needed_bytes const& need) const {
  return need.hull.is_empty() || is_adopted(need.array) || segments_.holding(need.array, need.hull);
}

void working_set::check(std::span<needed_bytes const> needs) const {
  for (auto need = needs.begin(); need != needs.end(); ++need) {
    auto const array = arrays_.find(need->array);
    bool const is_known =
        array != arrays_.end() && (need->hull.is_empty() || need->hull.end <= array->second.bytes);
    auto const is_same = [&](needed_bytes const& other) { return other.array == need->array; };
    if (!is_known || std::any_of(needs.begin(), need, is_same))
      throw_bad_argument(
          "needs",
          "array " + std::to_string(need->array.value()) + " up to byte " + std::to_string(need->hull.end),
          "bytes of a known array, each array once");
  }
}

byte_range working_set::bytes_to_take(needed_bytes const& need) const {
  if (need.hull.is_empty() || !has_room_for_all_arrays()) return need.hull;
  return {0, arrays_.at(need.array).bytes};
}

std::vector<segment> working_set::eviction_order(std::span<needed_bytes const> needs,
                                                 eviction_handler const& data) const {
  using rank = std::tuple<bool, std::uint64_t, bool, segment_id>;
  std::vector<std::pair<rank, segment>> ranked;
  for (auto const& one : segments_.all()) {
    if (one.pins > 0) continue;
    auto const is_needed = std::ranges::any_of(needs, [&](needed_bytes const& need) {
      return one.array == need.array && one.bytes.begin < need.hull.end && need.hull.begin < one.bytes.end;
    });
    ranked.push_back({{is_needed, one.used_at, !data.is_clean(one.array, one.bytes), one.id}, one});
  }
  std::ranges::sort(ranked, {}, [](auto const& one) { return one.first; });
  std::vector<segment> line;
  for (auto const& one : ranked) line.push_back(one.second);
  return line;
}

std::optional<std::vector<segment_id>> working_set::victims(std::span<needed_bytes const> needs,
                                                            eviction_handler const& data) const {
  if (std::ranges::all_of(needs, [&](auto const& need) { return holds(need); }))
    return std::vector<segment_id>();
  attempt without{*this, memory_.free(), segments_};
  std::vector<segment_id> victims;
  if (without.has_room(needs)) return victims;
  for (auto const& next : eviction_order(needs, data)) {
    victims.push_back(next.id);
    without.evict(next.id);
    if (without.has_room(needs)) return victims;
  }
  return std::nullopt;
}

void working_set::evict(segment_id victim, eviction_handler& data) {
  auto const one = *segments_.find(victim);
  memory_.add_users(one.memory, data.evict(one.array, one.bytes));
  memory_.give_back(segments_.remove(victim));
}

/// Takes all memory before moving anything, which frees some, as in the attempt that showed that there is
/// enough.
void working_set::take(std::span<needed_bytes const> needs, eviction_handler& data) {
  std::vector<std::pair<needed_bytes, byte_range>> taken;
  for (auto const& need : needs)
    if (!holds(need)) {
      needed_bytes const all{need.array, bytes_to_take(need)};
      taken.emplace_back(all, memory_.take(memory_of(all.hull)).value());
    }
  for (auto const& [need, memory] : taken) move_in(need, memory, data);
}

void working_set::move_in(needed_bytes const& need, byte_range memory, eviction_handler& data) {
  segment const to{{}, need.array, need.hull, memory};
  for (auto const& from : segments_.overlapping(need.array, need.hull)) {
    auto const moved = common(from.bytes, need.hull);
    auto const offset = from.offset_of(moved.begin);
    auto const users = data.move(need.array, moved, offset, to.offset_of(moved.begin), memory_.users(memory));
    // Also adds them to the segment's remaining block, in which moved bytes lay next to others.
    memory_.add_users({offset, offset + moved.size()}, users);
    memory_.give_back(segments_.cut(from.id, moved));
  }
  segments_.add(need.array, need.hull, memory);
}

resident_bytes working_set::pinned(needed_bytes const& need) {
  if (need.hull.is_empty()) return {need.array, {}, 0, {}};
  if (is_adopted(need.array)) return {need.array, {}, need.hull.begin, {}};
  auto& one = *segments_.find(segments_.holding(need.array, need.hull)->id);
  ++one.pins;
  one.used_at = tasks_;
  auto const offset = one.offset_of(need.hull.begin);
  return {need.array, one.id, offset, memory_.users({offset, offset + need.hull.size()})};
}

std::optional<std::vector<resident_bytes>> working_set::pin(std::span<needed_bytes const> needs,
                                                            eviction_handler& data) {
  check(needs);
  auto const chosen = victims(needs, data);
  if (!chosen) return std::nullopt;
  for (auto const victim : *chosen) evict(victim, data);
  take(needs, data);
  ++tasks_;
  std::vector<resident_bytes> residents;
  for (auto const& need : needs) residents.push_back(pinned(need));
  return residents;
}

void working_set::unpin(std::span<resident_bytes const> residents) {
  for (auto const& resident : residents)
    if (auto* const one = segments_.find(resident.segment)) --one->pins;
}

void working_set::evict_unpinned(eviction_handler& data) {
  auto const all = segments_.all();
  for (auto const& one : all)
    if (one.pins == 0) evict(one.id, data);
}

}  // namespace ballast::detail
