// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ballast/kernel.cuh"
#include "ballast/version.hpp"

namespace ballast {

/// The sizes of an array of 1 to 3 dimensions, in elements, slowest dimension first. A value type; any thread
/// may call any member.
class BALLAST_API extents {
 public:
  /// Makes extents of 1 to 3 sizes, which may be 0. Throws bad_argument ("sizes") for no size or more than 3,
  /// and if the product of those that are not 0 does not fit in size_t.
  explicit extents(std::span<std::size_t const> sizes);
  /// Sizes written out, as in `extents{rows, columns}`.
  extents(std::initializer_list<std::size_t> sizes)
      : extents(std::span<std::size_t const>(sizes.begin(), sizes.size())) {}

  /// How many dimensions the array has, 1 to 3.
  int rank() const { return rank_; }
  /// The size of `dimension`, from 0, the slowest, to rank() - 1.
  std::size_t operator[](int dimension) const { return sides_[std::size_t(3 - rank_ + dimension)]; }
  /// The number of elements.
  std::size_t elements() const { return sides_[0] * sides_[1] * sides_[2]; }
  /// The sizes as three dimensions, with sizes of 1 in front.
  std::array<std::size_t, 3> const& sides() const { return sides_; }

  /// Equal in rank and in every size.
  bool operator==(extents const&) const = default;

 private:
  int rank_;
  std::array<std::size_t, 3> sides_{1, 1, 1};
};

/// The indices from begin to end - 1; empty if end <= begin.
struct index_range {
  /// The first element.
  std::size_t begin = 0, end = 0;  ///< one past the last

  /// True if the range holds no element.
  constexpr bool is_empty() const { return end <= begin; }
  /// Equal in both ends, so two empty ranges may differ.
  constexpr bool operator==(index_range const&) const = default;
};

/// The range of all elements of an array, whatever its size.
inline constexpr index_range every_element{0, (std::numeric_limits<std::size_t>::max)()};

/// The elements that belong to a rank (job_options::ranks): the slowest dimension is cut evenly among the
/// ranks. Without ranks: all elements.
inline constexpr index_range own_elements{1, (std::numeric_limits<std::size_t>::max)()};

/// The elements whose indices lie in a range in each dimension, slowest first. An array of fewer than three
/// dimensions has {0, 1} in front, as in extents::sides().
struct box {
  /// One range for each dimension, slowest first.
  std::array<index_range, 3> sides;

  /// True if the box holds no element, because one of its sides is empty.
  bool is_empty() const { return sides[0].is_empty() || sides[1].is_empty() || sides[2].is_empty(); }
  /// Equal in every side.
  bool operator==(box const&) const = default;
};

/// The box of all elements of an array.
BALLAST_API box whole(extents const& array);

/// The elements of an array that a part of a job touches: a box, or ranges of the flattened elements (the
/// last index runs fastest), in any order, which may overlap. A value type.
class region {
 public:
  region() = default;  ///< no element
  /// Converts implicitly from a box.
  region(box elements) : content_(elements) {}
  /// Made from ranges written out, as in `region{{0, 8}, {64, 72}}`.
  region(std::initializer_list<index_range> elements) : region(std::vector(elements)) {}
  /// Made from ranges of flattened elements, in any order.
  explicit region(std::vector<index_range> elements) : content_(std::move(elements)) {}

  /// The ranges, or the box.
  std::variant<std::vector<index_range>, box> const& content() const { return content_; }

  /// Equal in kind and in every range; two ways to write the same elements are not equal.
  bool operator==(region const&) const = default;

 private:
  std::variant<std::vector<index_range>, box> content_;
};

/// The dimension along which a job is cut; its indices are the job's units. `slowest` is the first of z, y, x
/// that has more than one block, so that the blocks of a part are contiguous.
enum class cut : std::uint8_t { slowest, x, y, z };

/// The units first to first + count - 1 of a job; none if count is 0.
struct job_part {
  /// The first unit.
  std::uint32_t first = 0, count = 0;  ///< the number of units

  /// Equal in both numbers.
  constexpr bool operator==(job_part const&) const = default;
};

/// The number of blocks of a job in each dimension, and the dimension along which it is cut. A unit is one
/// index of that dimension with all its blocks. A value type; any thread may call any member.
class BALLAST_API job_grid {
 public:
  /// Makes a grid, implicitly, from one to three counts, each from 0 to 2 147 483 647, cut along
  /// `cut::slowest`. A job without blocks does nothing. Throws bad_argument ("grid").
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  job_grid(X x, Y y = 1, Z z = 1) : job_grid(launch_extent(x, y, z)) {}
  /// Makes a grid of these blocks, cut along the given dimension. Throws bad_argument ("grid").
  job_grid(launch_extent blocks, cut along = cut::slowest);

  /// The number of blocks in each dimension, from 0 to 2 147 483 647.
  launch_extent const& blocks() const { return blocks_; }
  /// The dimension that is cut, never `slowest`.
  cut along() const { return along_; }
  /// The number of units: the indices of the dimension that is cut; 0 if the grid has no blocks.
  std::uint32_t units() const;
  /// The number of blocks of one unit; 0 if the grid has no blocks.
  std::uint64_t blocks_of_unit() const;

  /// Equal in blocks and in the dimension that is cut.
  bool operator==(job_grid const&) const = default;

 private:
  launch_extent blocks_;
  cut along_;
};

/// The argument of an access map: which elements of `array` do the units `part` of a job with `units` units
/// touch?
struct map_view {
  job_part part;            ///< the part, within the units
  std::uint32_t units = 0;  ///< the number of units of the job
  extents array;            ///< the shape of the array
};

namespace detail {

/// Whether two units of a job touch an element in common.
enum class unit_overlap : std::uint8_t {
  never,    ///< no two units do
  always,   ///< neighbouring units do, unless their regions are empty
  unknown,  ///< not declared: submit() tests it
};

}  // namespace detail

/// A function from map_view to the region that is touched.
template <class F>
concept region_function =
    std::is_invocable_r_v<region, F const&, map_view const&> && std::copy_constructible<F>;

/// The elements of an array that a part of a job reads or writes. A value type. Any thread may call of(), and
/// several threads may call it concurrently if the user's function allows that.
class BALLAST_API access_map {
 public:
  /// Makes a map from the user's own function, which must be pure and monotone: its region for a part covers
  /// its region for each smaller part within that part.
  template <region_function F>
  access_map(F function) : access_map("a function", detail::unit_overlap::unknown, std::move(function)) {}
  /// Lets `rows`, `all` and `one_to_one` be written without parentheses.
  access_map(access_map (*map)()) : access_map(map()) {}
  /// Makes a copy that shares the function: threads that submit jobs with the two maps may call the function
  /// at the same time.
  access_map(access_map const&) = default;
  /// Takes over the other's map, and shares its function as a copy does.
  access_map& operator=(access_map const&) = default;
  /// Makes a map with a name for messages. `overlap` is trusted: with `never`, units that write the same
  /// element are not detected.
  access_map(std::string name, detail::unit_overlap overlap, std::function<region(map_view const&)> function)
      : map_(std::make_shared<content const>(content{std::move(name), overlap, std::move(function)})) {}

  /// The region that a part touches; empty for a part without units. Throws what the function throws;
  /// bad_argument ("part") if the part does not lie within the units; bad_argument ("map") if the map does
  /// not fit units and array, or the region does not lie within the array.
  region of(map_view const& view) const;
  /// The name in messages, such as "rows(4)".
  std::string const& name() const { return map_->name; }
  /// Whether units may touch elements in common, as declared when the map was made.
  detail::unit_overlap overlap() const { return map_->overlap; }

 private:
  struct content {
    std::string name;
    detail::unit_overlap overlap;
    std::function<region(map_view const&)> function;
  };

  std::shared_ptr<content const> map_;  ///< each job copies its maps
};

/// Each unit touches an equal share of the flattened elements. of() throws if the number of elements is not a
/// multiple of the number of units.
BALLAST_API access_map one_to_one();
/// Each unit touches `elements_per_unit` (at least 1) of the flattened elements, and the last unit the
/// remainder. of() throws if the units are not elements / elements_per_unit, rounded up. Throws bad_argument
/// ("elements_per_unit").
BALLAST_API access_map one_to_one(std::size_t elements_per_unit);

/// Each unit touches an equal share of the rows, which are the indices of the slowest dimension. of() throws
/// if the number of rows is not a multiple of the number of units.
BALLAST_API access_map rows();
/// Each unit touches `rows_per_unit` (at least 1) rows, and the last unit the remainder. Throws bad_argument
/// ("rows_per_unit").
BALLAST_API access_map rows(std::size_t rows_per_unit);

/// Each unit touches its share of the rows, as in rows(), and `halo` more rows on either side, as far as the
/// array extends.
BALLAST_API access_map neighborhood(std::size_t halo);
/// Each unit touches `rows_per_unit` (at least 1) rows, the last unit the remainder, and `halo` more rows on
/// either side, as far as the array extends. Throws bad_argument ("rows_per_unit").
BALLAST_API access_map neighborhood(std::size_t halo, std::size_t rows_per_unit);

/// Each unit touches an equal share of the indices of a dimension, from 0, the slowest, to 2. of() throws for
/// arrays that do not have the dimension. Throws bad_argument ("dimension").
BALLAST_API access_map slice(int dimension);
/// Each unit touches `per_unit` (at least 1) indices of a dimension, and the last unit the remainder. Throws
/// bad_argument ("dimension", "per_unit").
BALLAST_API access_map slice(int dimension, std::size_t per_unit);

/// The whole array, for every part that has units.
BALLAST_API access_map all();

/// Describes a job except for its kernel and its arrays. `{8192}`, `{{columns, rows}}` and `{.grid = 8192,
/// .name = "step"}` are valid.
struct job_setup {
  /// The job's blocks, and the dimension along which it is cut.
  job_grid grid;
  std::string name = {};    ///< for messages and reports; empty: the kernel's type
  std::string policy = {};  ///< one of split_policies(); empty: the scheduler's
  std::uint32_t tasks = 0;  ///< as job_shape::tasks; 0: the scheduler's
  /// The key of what is learned about jobs: jobs with the same key, grid and policy are one site, and share
  /// what was learned. 0: the key of the factory.
  std::uint64_t learning_key = 0;
  /// The one device that runs the job, by its place in the scheduler's list; none: the policy chooses.
  std::optional<std::uint32_t> device = {};
};

}  // namespace ballast
