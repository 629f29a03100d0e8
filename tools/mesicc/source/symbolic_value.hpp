// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/expression.hpp"

namespace ballast::mesicc {

/// A part of an array of the launch: a row, an element, or, as a pointer's target, the place from which its
/// next step continues.
struct element_path {
  int array = 0;
  std::vector<expression> index;  ///< one per extent, 0 if not chosen yet; only one if flat
  int settled = 0;    ///< number of chosen dimensions; for a pointer: the dimension in which it walks
  bool flat = false;  ///< index is a flattened element
  bool within_element = false;  ///< a member of an element, which a pointer's steps do not leave
  bool is_member = false;       ///< for a pointer: leads to a member that is no array, and cannot step
                                ///< further
  bool fresh = false;           ///< a pointer that an array has just become, so that a step is a subscript
};

/// One of several targets, as for `c ? a : b`.
struct target {
  condition when = condition(true);
  element_path path;
};

/// A pointer's target, or the place of a glvalue. Without targets it is the thread's own memory.
struct address {
  std::vector<target> targets;
  bool lost = false;  ///< it may lead to any array; `why` names the reason
  std::string why;
};

/// The knowledge about a prvalue: for integers `number` (and for a bool `truth`), for pointers `leads_to`.
struct value {
  std::optional<expression> number;
  std::optional<condition> truth;
  std::optional<address> leads_to;
};

/// The place of a glvalue.
struct location {
  clang::VarDecl const* local = nullptr;  ///< a variable of the thread whose value is followed
  std::optional<value> fixed;             ///< an entity with a value and no memory, such as lThreadId.x
  address elements;
  /// One of several places: the first whose condition holds; `fixed` is the value before it changes.
  std::vector<std::pair<condition, location>> either = {};
};

/// The target of a reference to the place, which sees later assignments.
inline location referred_to(location place) {
  if (!place.either.empty()) place.fixed.reset();
  return place;
}

inline value of_number(expression number) { return {std::move(number), {}, {}}; }
inline value of_truth(condition truth) { return {select(truth, 1, 0), std::move(truth), {}}; }
inline value of_address(address to) { return {{}, {}, std::move(to)}; }
inline address lost_address(std::string why) { return {{}, true, std::move(why)}; }

/// `then` where `when` holds, and `otherwise` elsewhere, as one value.
value choice(condition const& when, value const& then, value const& otherwise);
address choice(condition const& when, address const& then, address const& otherwise);

}  // namespace ballast::mesicc
