// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast {
namespace {

int checked_rank(std::size_t count) {
  if (count < 1 || count > 3) throw_bad_argument("sizes", count, "1 to 3 dimensions");
  return int(count);
}

/// Throws bad_argument ("sizes") if the product of the sizes overflows. Skips sizes of 0, so that no partial
/// product overflows either.
void check_product(std::span<std::size_t const> sizes) {
  std::size_t product = 1;
  for (auto const size : sizes) {
    if (size == 0) continue;
    auto const most = std::numeric_limits<std::size_t>::max() / product;
    if (size > most)
      throw_bad_argument("sizes", size, "at most " + std::to_string(most) + " beside the others");
    product *= size;
  }
}

constexpr std::uint32_t max_blocks = std::numeric_limits<std::int32_t>::max();  // CUDA's limit for x

void check_count(std::uint32_t count) {
  if (count > max_blocks) throw_bad_argument("grid", count, "0 to 2147483647 blocks in each dimension");
}

cut slowest_of(launch_extent const& blocks) {
  if (blocks.z > 1) return cut::z;
  return blocks.y > 1 ? cut::y : cut::x;
}

bool is_empty(launch_extent const& blocks) { return blocks.x == 0 || blocks.y == 0 || blocks.z == 0; }

std::string range_text(index_range range) {
  return std::to_string(range.begin) + " to " + std::to_string(range.end);
}

void check_part(map_view const& view) {
  auto const [first, count] = view.part;
  if (first > view.units || count > view.units - first)
    throw_bad_argument("part", range_text({first, std::size_t(first) + count}),
                       "within " + detail::counted(view.units, "unit"));
}

class bounds_check {
 public:
  bounds_check(std::string const& map, extents const& array) : map_(map), array_(array) {}

  void operator()(std::vector<index_range> const& ranges) const {
    for (auto const range : ranges) check(range, array_.elements(), "the flattened array");
  }
  void operator()(box const& elements) const {
    if (elements.is_empty()) return;
    for (std::size_t side = 0; side < 3; ++side) check(elements.sides[side], array_.sides()[side], "a side");
  }

 private:
  void check(index_range range, std::size_t size, char const* of) const {
    if (range.is_empty() || range.end <= size) return;
    throw_bad_argument("map", map_ + " with indices " + range_text(range),
                       "within the " + std::to_string(size) + " of " + of);
  }

  std::string const& map_;
  extents const& array_;
};

}  // namespace

extents::extents(std::span<std::size_t const> sizes) : rank_(checked_rank(sizes.size())) {
  check_product(sizes);
  std::ranges::copy(sizes, sides_.end() - rank_);
}

box whole(extents const& array) {
  auto const& sides = array.sides();
  return {{{{0, sides[0]}, {0, sides[1]}, {0, sides[2]}}}};
}

job_grid::job_grid(launch_extent blocks, cut along)
    : blocks_(blocks), along_(along == cut::slowest ? slowest_of(blocks) : along) {
  for (auto const count : {blocks.x, blocks.y, blocks.z}) check_count(count);
}

std::uint32_t job_grid::units() const {
  if (is_empty(blocks_)) return 0;
  if (along_ == cut::x) return blocks_.x;
  return along_ == cut::y ? blocks_.y : blocks_.z;
}

std::uint64_t job_grid::blocks_of_unit() const {
  if (is_empty(blocks_)) return 0;
  std::uint64_t const x = blocks_.x, y = blocks_.y, z = blocks_.z;
  if (along_ == cut::x) return y * z;
  return along_ == cut::y ? x * z : x * y;
}

region access_map::of(map_view const& view) const {
  check_part(view);
  if (view.part.count == 0) return {};
  auto touched = map_->function(view);
  std::visit(bounds_check(map_->name, view.array), touched.content());
  return touched;
}

namespace {

constexpr std::size_t equal_shares = 0;

std::size_t rounded_up(std::size_t size, std::size_t each) { return size / each + (size % each != 0); }

/// Gives each unit of a job consecutive indices: `per_unit` indices to each and the remainder to the last
/// one, or equal shares if `per_unit` is 0.
class unit_shares {
 public:
  /// Messages name `map`.
  unit_shares(std::string map, std::size_t per_unit) : map_(std::move(map)), per_unit_(per_unit) {}

  /// The share of a non-empty part, out of `size` indices. Throws bad_argument ("map") if the units do not
  /// fit.
  index_range of(job_part part, std::uint32_t units, std::size_t size) const;

 private:
  void check(std::uint32_t units, std::size_t size) const;
  [[noreturn]] void refuse(std::uint32_t units, std::size_t size, std::string const& legal) const;

  std::string map_;
  std::size_t per_unit_;
};

/// Throws bad_argument ("map") if the units do not fit. Builds texts only for that, since each job calls this
/// function several times.
void unit_shares::check(std::uint32_t units, std::size_t size) const {
  if (per_unit_ == 0 && size % units != 0)
    refuse(units, size, "units that divide them, or the same map with how many a unit has");
  if (per_unit_ != 0 && units != rounded_up(size, per_unit_))
    refuse(units, size, detail::counted(rounded_up(size, per_unit_), "unit"));
}

void unit_shares::refuse(std::uint32_t units, std::size_t size, std::string const& legal) const {
  throw_bad_argument(
      "map",
      map_ + " of " + detail::counted(size, "index", "indices") + " for " + detail::counted(units, "unit"),
      legal);
}

index_range unit_shares::of(job_part part, std::uint32_t units, std::size_t size) const {
  check(units, size);
  auto const each = per_unit_ == 0 ? size / units : per_unit_;
  auto const end = std::size_t(part.first) + part.count;
  return {part.first * each, end == units ? size : end * each};
}

std::size_t checked(std::string_view argument, std::size_t per_unit) {
  if (per_unit == 0) throw_bad_argument(argument, per_unit, "at least 1");
  return per_unit;
}

/// Formats `per_unit` as the last of several arguments in a map's name; empty for equal shares.
std::string last_argument_text(std::size_t per_unit) {
  return per_unit == equal_shares ? "" : ", " + std::to_string(per_unit);
}

/// The indices of one dimension that the units share, and `halo` more on either side.
struct dimension_cut {
  int dimension;
  std::size_t per_unit, halo = 0;
};

index_range widened(index_range share, std::size_t halo, std::size_t size) {
  return {share.begin - std::min(share.begin, halo), share.end + std::min(size - share.end, halo)};
}

void check_dimension(std::string const& map, int dimension, extents const& array) {
  if (dimension < array.rank()) return;
  throw_bad_argument("map", map + " of an array of " + detail::counted(array.rank(), "dimension"),
                     "a dimension of the array, counted from 0");
}

access_map map_of(std::string const& name, dimension_cut cut) {
  auto const overlap = cut.halo == 0 ? detail::unit_overlap::never : detail::unit_overlap::always;
  return {name, overlap, [shares = unit_shares(name, cut.per_unit), name, cut](map_view const& view) {
            check_dimension(name, cut.dimension, view.array);
            auto const size = view.array[cut.dimension];
            auto touched = whole(view.array);
            touched.sides[std::size_t(3 - view.array.rank() + cut.dimension)] =
                widened(shares.of(view.part, view.units, size), cut.halo, size);
            return region(touched);
          }};
}

access_map elements_map(std::string const& name, std::size_t per_unit) {
  return {name, detail::unit_overlap::never, [shares = unit_shares(name, per_unit)](map_view const& view) {
            return region({shares.of(view.part, view.units, view.array.elements())});
          }};
}

access_map slice_map(int dimension, std::size_t per_unit) {
  if (dimension < 0 || dimension > 2) throw_bad_argument("dimension", dimension, "0, the slowest, to 2");
  return map_of("slice(" + std::to_string(dimension) + last_argument_text(per_unit) + ")",
                {dimension, per_unit});
}

access_map neighborhood_map(std::size_t halo, std::size_t per_unit) {
  return map_of("neighborhood(" + std::to_string(halo) + last_argument_text(per_unit) + ")",
                {0, per_unit, halo});
}

}  // namespace

access_map one_to_one() { return elements_map("one_to_one", equal_shares); }
access_map one_to_one(std::size_t elements_per_unit) {
  auto const name = "one_to_one(" + std::to_string(elements_per_unit) + ")";
  return elements_map(name, checked("elements_per_unit", elements_per_unit));
}

access_map rows() { return map_of("rows", {0, equal_shares}); }
access_map rows(std::size_t rows_per_unit) {
  auto const name = "rows(" + std::to_string(rows_per_unit) + ")";
  return map_of(name, {0, checked("rows_per_unit", rows_per_unit)});
}

access_map neighborhood(std::size_t halo) { return neighborhood_map(halo, equal_shares); }
access_map neighborhood(std::size_t halo, std::size_t rows_per_unit) {
  return neighborhood_map(halo, checked("rows_per_unit", rows_per_unit));
}

access_map slice(int dimension) { return slice_map(dimension, equal_shares); }
access_map slice(int dimension, std::size_t per_unit) {
  return slice_map(dimension, checked("per_unit", per_unit));
}

access_map all() {
  return {"all", detail::unit_overlap::always,
          [](map_view const& view) { return region(whole(view.array)); }};
}

}  // namespace ballast
