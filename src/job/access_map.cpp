// SPDX-License-Identifier: Apache-2.0
#include "ballast/access_map.hpp"

#include "ballast/error.hpp"

namespace ballast {
namespace {

std::string range_text(index_range range) {
  return std::to_string(range.begin) + " to " + std::to_string(range.end);
}

void check_part(map_view const& view) {
  auto const [first, count] = view.part;
  if (first > view.units || count > view.units - first)
    throw_bad_argument("part", range_text({first, std::size_t(first) + count}),
                       "within " + std::to_string(view.units) + " units");
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

region access_map::of(map_view const& view) const {
  check_part(view);
  if (view.part.count == 0) return {};
  auto touched = function_(view);
  std::visit(bounds_check(name_, view.array), touched.content());
  return touched;
}

}  // namespace ballast
