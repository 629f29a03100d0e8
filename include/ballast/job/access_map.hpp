// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "ballast/job/extents.hpp"
#include "ballast/job/job_grid.hpp"

namespace ballast::inline job {

/// What an access map is asked: which elements of `array` do the units `part` of a job of `units` touch?
struct map_view {
  job_part part;            ///< within the units
  std::uint32_t units = 0;  ///< of the job
  extents array;            ///< shape of the array
};

/// Whether two units of a job touch an element in common.
enum class unit_overlap : std::uint8_t {
  never,    ///< no two do
  always,   ///< neighbouring ones do, unless their elements are none
  unknown,  ///< to be tried out
};

/// A function from map_view to the region that is touched.
template <class F>
concept region_function =
    std::is_invocable_r_v<region, F const&, map_view const&> && std::copy_constructible<F>;

/// Which elements of an array a part of a job reads or writes. A value; of() may be called from any thread,
/// any number of times, at once from several if the user's function may.
class access_map {
 public:
  using named_map = access_map (*)();

  /// The user's own function. It must be pure, and monotone: the region of a part covers the region of each
  /// part within it.
  template <region_function F>
  access_map(F function) : access_map("a function", unit_overlap::unknown, std::move(function)) {}
  /// Lets `rows`, `all` and `one_to_one` be written without parentheses.
  access_map(named_map map) : access_map(map()) {}
  /// With a name for messages. `overlap` is believed: with `never`, units that write the same element are not
  /// found.
  access_map(std::string name, unit_overlap overlap, std::function<region(map_view const&)> function)
      : name_(std::move(name)), overlap_(overlap), function_(std::move(function)) {}

  /// Empty for a part without units. Throws what the function throws, bad_argument ("part") for a part that
  /// is not within the units, and bad_argument ("map") if the map does not fit units and array, or the region
  /// is not within the array.
  region of(map_view const& view) const;
  /// As a message says it: "rows(4)".
  std::string const& name() const { return name_; }
  unit_overlap overlap() const { return overlap_; }

 private:
  std::string name_;
  unit_overlap overlap_;
  std::function<region(map_view const&)> function_;
};

/// Each unit has an equal share of the flattened elements: of() refuses elements that units do not divide.
access_map one_to_one();
/// Each unit has so many of the flattened elements, at least 1, the last unit what is left: of() refuses
/// units that are not elements / elements_per_unit, rounded up. Throws bad_argument ("elements_per_unit").
access_map one_to_one(std::size_t elements_per_unit);

/// Equal shares of the rows, which are the indices of the slowest dimension; else as one_to_one.
access_map rows();
/// Throws bad_argument ("rows_per_unit").
access_map rows(std::size_t rows_per_unit);

/// As rows, and `halo` rows more on either side, as far as the array goes.
access_map neighborhood(std::size_t halo);
/// Throws bad_argument ("rows_per_unit").
access_map neighborhood(std::size_t halo, std::size_t rows_per_unit);

/// As rows, along another dimension, from 0, the slowest, to 2: of() refuses arrays that do not have it.
/// Throws bad_argument ("dimension").
access_map slice(int dimension);
/// Throws bad_argument ("dimension", "per_unit").
access_map slice(int dimension, std::size_t per_unit);

/// The whole array, for every part that has units.
access_map all();

}  // namespace ballast::inline job
