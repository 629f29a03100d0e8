// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/place.hpp"

namespace ballast::mesicc {

/// The directions of threads in a launch `kernel<<[x, y]>>`.
enum class axis : std::uint8_t { x, y };

enum class operation : std::uint8_t {
  constant,    ///< value
  thread,      ///< lThreadId.x or .y; value: the axis
  loop,        ///< the counter of a loop; value: its index in launch_model::loops
  scalar,      ///< known when the launch is reached; value: its index in launch_model::scalars
  part_begin,  ///< first thread row of a part (in ranges only)
  part_end,    ///< one past the part's last thread row (in ranges only)
  add,         ///< from here on: two operands
  subtract,
  multiply,
  divide,        ///< towards 0, as C does
  floor_divide,  ///< towards minus infinity (in ranges only); the divisor is positive
  remainder,     ///< has the sign of the first operand, as in C
  minimum,
  maximum,
  select,   ///< condition, and two operands
  unknown,  ///< why and where
};

enum class relation : std::uint8_t {
  constant,  ///< value: 0 or 1
  less,      ///< two operands
  less_equal,
  equal,
  negation,  ///< one condition
  all_of,    ///< two conditions, both
  any_of,
  unknown,  ///< why and where
};

struct expression_node;
struct condition_node;

/// An integer in a kernel, as a tree: a value that shares its immutable nodes. Integers are unbounded here;
/// the builder of the tree must turn values that wrap around or are truncated in the user's program into
/// unknowns.
class expression {
 public:
  expression(std::int64_t value);  ///< a constant, so that `x + 1` can be written
  explicit expression(expression_node node);

  expression_node const& operator*() const { return *node_; }
  expression_node const* operator->() const { return node_.get(); }

 private:
  std::shared_ptr<expression_node const> node_;
};

class condition {
 public:
  explicit condition(bool value);
  explicit condition(condition_node node);

  condition_node const& operator*() const { return *node_; }
  condition_node const* operator->() const { return node_.get(); }

 private:
  std::shared_ptr<condition_node const> node_;
};

struct expression_node {
  operation what = operation::constant;
  std::int64_t value = 0;
  std::vector<expression> operands;
  std::vector<condition> conditions;  ///< of select: one
  std::string why;                    ///< for unknown: "depends on a value that is read from memory"
  place where;                        ///< of unknown
};

struct condition_node {
  relation what = relation::constant;
  bool value = false;
  std::vector<expression> operands;
  std::vector<condition> conditions;
  std::string why;
  place where;
};

expression thread_id(axis direction);
expression loop_counter(int loop);
expression scalar_value(int scalar);
expression part_begin();
expression part_end();
expression unknown_value(std::string why, place where);

// Computes constants at once, if the result fits, and drops operands 0 and 1 that change nothing.
expression operator+(expression const& a, expression const& b);
expression operator-(expression const& a, expression const& b);
expression operator*(expression const& a, expression const& b);
expression operator/(expression const& a, expression const& b);
expression operator%(expression const& a, expression const& b);
expression floor_divide(expression const& a, expression const& b);
expression smaller_of(expression const& a, expression const& b);
expression larger_of(expression const& a, expression const& b);
expression select(condition const& when, expression const& then, expression const& otherwise);

condition operator<(expression const& a, expression const& b);
condition operator<=(expression const& a, expression const& b);
condition operator>(expression const& a, expression const& b);
condition operator>=(expression const& a, expression const& b);
condition operator==(expression const& a, expression const& b);
condition operator!=(expression const& a, expression const& b);
condition operator!(condition const& a);
condition operator&&(condition const& a, condition const& b);
condition operator||(condition const& a, condition const& b);
condition unknown_condition(std::string why, place where);

bool is_constant(expression const& value);
bool is_constant(expression const& value, std::int64_t wanted);
bool is_constant(condition const& value, bool wanted);

/// The first unknown within, left to right, or null.
expression_node const* first_unknown(expression const& value);
bool has_unknown(condition const& value);

}  // namespace ballast::mesicc
