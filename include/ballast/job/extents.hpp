// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace ballast::inline job {

/// The sizes of an array of 1 to 3 dimensions, in elements, slowest dimension first. A value; any thread may
/// call.
class extents {
 public:
  /// Sizes may be 0. Throws bad_argument ("sizes") for none or more than 3, and if the product of those that
  /// are not 0 does not fit in size_t.
  explicit extents(std::span<std::size_t const> sizes);
  extents(std::initializer_list<std::size_t> sizes)
      : extents(std::span<std::size_t const>(sizes.begin(), sizes.size())) {}

  int rank() const { return rank_; }
  /// `dimension`: 0, the slowest, to rank() - 1.
  std::size_t operator[](int dimension) const { return sides_[side_of(dimension)]; }
  std::size_t elements() const { return sides_[0] * sides_[1] * sides_[2]; }
  /// As three dimensions, by sizes of 1 in front.
  std::array<std::size_t, 3> const& sides() const { return sides_; }
  /// The place of `dimension` among the sides().
  std::size_t side_of(int dimension) const { return std::size_t(3 - rank_ + dimension); }

  bool operator==(extents const&) const = default;

 private:
  int rank_;
  std::array<std::size_t, 3> sides_{1, 1, 1};
};

/// Half open; empty if end <= begin.
struct index_range {
  std::size_t begin = 0, end = 0;

  constexpr bool is_empty() const { return end <= begin; }
  constexpr bool operator==(index_range const&) const = default;
};

/// The elements whose indices lie in a range in each dimension, slowest first; an array of fewer than three
/// dimensions has {0, 1} in front, as extents::sides().
struct box {
  std::array<index_range, 3> sides;

  bool is_empty() const { return sides[0].is_empty() || sides[1].is_empty() || sides[2].is_empty(); }
  bool operator==(box const&) const = default;
};

/// All of an array.
box whole(extents const& array);

/// Which elements of an array a part of a job touches: a box, or ranges of the flattened elements (the last
/// index runs fastest), in any order, which may meet. A value.
class region {
 public:
  region() = default;  ///< no element
  region(box elements) : content_(elements) {}
  region(std::initializer_list<index_range> elements) : region(std::vector(elements)) {}
  explicit region(std::vector<index_range> elements) : content_(std::move(elements)) {}

  /// One of the two, nothing else.
  std::variant<std::vector<index_range>, box> const& content() const { return content_; }

  bool operator==(region const&) const = default;

 private:
  std::variant<std::vector<index_range>, box> content_;
};

}  // namespace ballast::inline job
