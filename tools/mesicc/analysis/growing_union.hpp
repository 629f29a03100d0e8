// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <cstddef>
#include <set>
#include <vector>

namespace ballast::mesicc {

/// The pieces of a set are compared pairwise only up to this number: the cost of a question should grow no
/// faster than the kernel.
constexpr unsigned most_pieces_at_once = 32;

inline bool has_few_pieces(isl::set const& one) { return one.n_basic_set() <= most_pieces_at_once; }
/// `one` in fewer pieces, if these are quick to find.
inline isl::set in_fewer_pieces(isl::set const& one) { return has_few_pieces(one) ? one.coalesce() : one; }

/// Sorts sets by their text, so that sets which differ only in a constant are neighbours.
struct as_written {
  bool operator()(isl::set const& a, isl::set const& b) const {
    return isl_set_plain_cmp(a.get(), b.get()) < 0;
  }
};

/// A union to which sets are added one by one. They are merged in blocks of 1, 2, 4, ... sets, so that each
/// is processed only a few times.
class growing_union {
 public:
  explicit growing_union(isl::set const& none) : none_(none) {}

  /// Adds a set. If isl throws, the union stays as it was.
  void add(isl::set const& more);
  /// True if a set with the same text was added.
  bool has(isl::set const& one) const { return added_.contains(one); }
  isl::set all() const;

 private:
  struct block {
    std::size_t sets;
    isl::set together;
  };

  isl::set none_;
  std::vector<block> blocks_;
  std::set<isl::set, as_written> added_;
};

}  // namespace ballast::mesicc
