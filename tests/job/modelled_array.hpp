// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "arrays/coherence_directory.hpp"
#include "ballast/access_map.hpp"

namespace ballast::test {
using namespace detail;

using word = std::uint32_t;

/// An array of words as a sequential program sees it, its copies at each place, and where brute force says
/// that each word is valid, beside the directory that is tested.
struct modelled_array {
  modelled_array(extents const& in_shape, std::uint32_t places, operations& ops)
      : shape(in_shape),
        directory(bytes(), places, ops),
        now(shape.elements()),
        doomed(shape.elements()),
        copies(places, std::vector<word>(shape.elements(), 0)),
        valid(places, std::vector<bool>(shape.elements())),
        brought_by(places, op_set(shape.elements())),
        junk(places) {
    valid[0].assign(shape.elements(), true);
  }

  std::size_t bytes() const { return shape.elements() * sizeof(word); }
  void set_written(std::size_t place, std::size_t i, bool by_doomed) {
    for (auto& at_place : valid) at_place[i] = false;
    valid[place][i] = true;
    brought_by[place][i] = {};
    doomed[i] = by_doomed;
  }
  void set_brought(std::size_t place, std::size_t i, op_id copy) {
    valid[place][i] = true;
    brought_by[place][i] = copy;
  }
  /// Whether the copy that brings the word there fails; it has not ended if the word counts as valid there.
  bool is_brought_wrong(std::size_t place, std::size_t i) const {
    return failing_copies.contains(brought_by[place][i]);
  }
  void set_not_brought(std::size_t place, std::size_t i, op_id copy) {
    if (brought_by[place][i] != copy || !valid[place][i]) return;
    valid[place][i] = false;
    if (places_of(i) == 0) doomed[i] = true;
  }

  void check_validity() const {
    for (auto const& held : directory.holders({0, bytes()}))
      for (auto i = held.bytes.begin / sizeof(word); i < held.bytes.end / sizeof(word); ++i)
        ASSERT_EQ(held.places, places_of(i)) << "word " << i;
    for (std::size_t place = 0; place < valid.size(); ++place) check_missing(place);
  }
  /// For the end: all copies that are valid are what the sequential program made, all else is known as lost.
  void check_contents() const {
    for (std::size_t i = 0; i < now.size(); ++i) {
      byte_range const word_bytes{i * sizeof(word), (i + 1) * sizeof(word)};
      ASSERT_EQ(directory.lost(word_bytes).has_value(), doomed[i]) << "word " << i;
      if (!doomed[i]) check_copies(i);
    }
  }

  extents shape;
  coherence_directory directory;
  std::vector<word> now;
  std::vector<bool> doomed;  ///< made of what a failing task writes, or nowhere
  std::vector<std::vector<word>> copies;
  std::vector<std::vector<bool>> valid;
  std::vector<op_set> brought_by;  ///< the copy, if it was not written there since
  std::set<op_id> failing_copies;
  std::vector<std::vector<std::pair<op_id, byte_range>>> junk;  ///< written to memory that was given up

 private:
  std::uint32_t places_of(std::size_t i) const {
    std::uint32_t bits = 0;
    for (std::size_t place = 0; place < valid.size(); ++place)
      bits |= std::uint32_t(valid[place][i]) << place;
    return bits;
  }
  void check_copies(std::size_t i) const {
    for (std::size_t place = 0; place < valid.size(); ++place) {
      if (!valid[place][i]) continue;
      ASSERT_EQ(copies[place][i], now[i]) << "place " << place << ", word " << i;
    }
  }
  void check_missing(std::size_t place) const {
    std::vector<bool> there(now.size(), true);
    for (auto const range : directory.missing(place_id(std::uint32_t(place)), {0, bytes()}))
      for (auto i = range.begin / sizeof(word); i < range.end / sizeof(word); ++i) there[i] = false;
    ASSERT_EQ(there, valid[place]) << "place " << place;
  }
};

}  // namespace ballast::test
