// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "arrays/byte_runs.hpp"

namespace ballast::detail {

/// A value for each byte of an array, stored once for neighbours with equal values. Uses Boost's interval
/// map, which compiles slowly: no header that a test includes may include this one.
template <class Value>
class range_map {
 public:
  range_map(std::size_t bytes, Value const& value) { assign({0, bytes}, value); }

  /// Calls visit(byte_range, Value const&) for each stretch of bytes of one value, ascending, cut at the
  /// bounds.
  void visit(byte_range bounds, auto visit) const {
    if (bounds.is_empty()) return;
    auto [piece, end] = map_.equal_range(interval(bounds.begin, bounds.end));
    for (; piece != end; ++piece) visit(common(bounds, piece->first), piece->second);
  }

  void assign(byte_range bytes, Value const& value) {
    if (!bytes.is_empty() && !change_in_place(bytes, [&](Value& old) { old = value; }))
      map_.set({interval(bytes.begin, bytes.end), value});
  }

  /// Calls change(Value&) for each stretch, and stores the changed value.
  void change(byte_range bounds, auto change) {
    if (bounds.is_empty() || change_in_place(bounds, change)) return;
    std::vector<std::pair<byte_range, Value>> changed;
    visit(bounds, [&](byte_range bytes, Value const& before) {
      auto after = before;
      change(after);
      if (!(after == before)) changed.emplace_back(bytes, std::move(after));
    });
    for (auto const& [bytes, value] : changed) assign(bytes, value);
  }

 private:
  using interval = boost::icl::right_open_interval<std::size_t>;
  using map = boost::icl::interval_map<std::size_t, Value, boost::icl::partial_enricher, std::less,
                                       boost::icl::inplace_plus, boost::icl::inter_section, interval>;

  /// Changes the bytes and returns true if they are exactly one stretch. Programs repeat accesses of the same
  /// stretches, and such a stretch needs no new node.
  bool change_in_place(byte_range bytes, auto const& change) {
    interval const all(bytes.begin, bytes.end);
    auto const [stretch, next] = map_.equal_range(all);
    if (stretch == next || stretch->first != all) return false;
    change(stretch->second);
    bool const joins = (next != map_.end() && next->second == stretch->second) ||
                       (stretch != map_.begin() && std::prev(stretch)->second == stretch->second);
    if (joins) map_.set({all, std::move(stretch->second)});  // set() erases that stretch first
    return true;
  }

  static byte_range common(byte_range bounds, interval const& piece) {
    return {std::max(bounds.begin, piece.lower()), std::min(bounds.end, piece.upper())};
  }

  map map_;
};

}  // namespace ballast::detail
