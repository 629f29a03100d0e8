// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <cstddef>
#include <set>
#include <vector>

namespace ballast::mesicc {

/// More pieces are not looked at two by two: what a question costs is to grow as the kernel does.
constexpr unsigned most_pieces_at_once = 32;

inline bool has_few_pieces(isl::set const& one) { return one.n_basic_set() <= most_pieces_at_once; }
/// In fewer pieces, if that is quick to find.
inline isl::set in_fewer_pieces(isl::set const& one) { return has_few_pieces(one) ? one.coalesce() : one; }

/// Sets that are written alike are neighbours, first of all those that only a constant tells apart.
struct as_written {
  bool operator()(isl::set const& a, isl::set const& b) const {
    return isl_set_plain_cmp(a.get(), b.get()) < 0;
  }
};

/// A union to which sets are added one by one. They are brought together in blocks of 1, 2, 4, ... sets, so
/// that each of them is looked at only a few times.
class growing_union {
 public:
  explicit growing_union(isl::set const& none) : none_(none) {}

  /// Nothing has changed if isl throws.
  void add(isl::set const& more);
  /// Whether it was added, written as it is.
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
