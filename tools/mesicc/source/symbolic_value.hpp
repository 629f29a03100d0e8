// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/expression.hpp"

namespace ballast::mesicc {

/// A part of an array of the launch: a row, an element, or, as the target of a pointer, where its next step
/// of one goes on from.
struct element_path {
  int array = 0;
  std::vector<expression> index;  ///< one per extent; 0 where nothing was chosen yet. Only one where flat
  int settled = 0;    ///< how many dimensions are chosen; of a pointer: the dimension in which it walks
  bool flat = false;  ///< index is a flattened element
  bool within_element = false;  ///< a member of an element, which steps of a pointer do not leave
  bool is_member = false;       ///< of a pointer: to a member that is no array, from which no step leads on
  bool fresh = false;           ///< a pointer that an array has just become, so that a step is a subscript
};

/// One of several targets, as of `c ? a : b`.
struct target {
  condition when = condition(true);
  element_path path;
};

/// Where a pointer leads, or where a glvalue is. With no targets it is the thread's own memory.
struct address {
  std::vector<target> targets;
  bool lost = false;  ///< it may lead to any array; `why` tells how that came
  std::string why;
};

/// What is known of a prvalue: of integers `number` (and `truth` of a bool), of pointers `leads_to`.
struct value {
  std::optional<expression> number;
  std::optional<condition> truth;
  std::optional<address> leads_to;
};

/// What a glvalue is.
struct location {
  clang::VarDecl const* local = nullptr;  ///< a variable of the thread whose value is followed
  std::optional<value> fixed;             ///< something that has a value and no memory, as lThreadId.x
  address elements;
  /// One of several places, the first whose condition holds; `fixed` is the value before it changes.
  std::vector<std::pair<condition, location>> either = {};
};

/// What a reference to the place refers to, which sees what is assigned to it later.
inline location referred_to(location place) {
  if (!place.either.empty()) place.fixed.reset();
  return place;
}

inline value of_number(expression number) { return {std::move(number), {}, {}}; }
inline value of_truth(condition truth) { return {select(truth, 1, 0), std::move(truth), {}}; }
inline value of_address(address to) { return {{}, {}, std::move(to)}; }
inline address lost_address(std::string why) { return {{}, true, std::move(why)}; }

/// The value where `when` holds and where not.
value choice(condition const& when, value const& then, value const& otherwise);
address choice(condition const& when, address const& then, address const& otherwise);

}  // namespace ballast::mesicc
