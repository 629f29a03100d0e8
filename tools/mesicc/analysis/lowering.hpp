// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/expression.hpp"
#include "model/launch_model.hpp"

namespace ballast::mesicc {

// All values on which an access depends are named parameters of isl; the only dimension of its sets is the
// flattened element. So sets of different accesses are related by the names that they share.
namespace parameter {
inline std::string const x = "x", y = "y", part_begin = "b", part_end = "e";
inline std::string of(axis direction) { return direction == axis::x ? x : y; }
inline std::string loop(std::int64_t place) { return "l" + std::to_string(place); }
inline std::string scalar(std::int64_t place) { return "s" + std::to_string(place); }
}  // namespace parameter

/// The reason why a value is not known to be affine.
struct cause {
  std::string why;
  place where;  ///< may be nowhere

  bool operator==(cause const&) const = default;
};

/// Converts expressions to isl. An expression that isl cannot represent becomes a new parameter with any
/// value, so the result is never too small. forget_unknowns() removes these parameters from a set.
class lowering {
 public:
  explicit lowering(isl::ctx context);

  isl::set all() const { return all_; }
  isl::pw_aff constant(std::int64_t value) const {
    return all_.pw_aff_on_domain(isl::val(context_, long(value)));
  }
  isl::pw_aff named(std::string const& parameter) const { return all_.param_pw_aff_on_domain(parameter); }
  isl::pw_aff element() const;

  /// Values are only needed where `context` holds from now on, which simplifies divisions.
  void assume(isl::set const& context) { context_known_ = context; }

  isl::pw_aff of(expression const& value);
  isl::set where(condition const& holds);
  /// True if the condition is undecided for a single reason, which is then recorded: where() would need two
  /// cases.
  bool is_open(condition const& holds);

  /// The causes that were met since the last call.
  std::vector<cause> take_causes();
  isl::set forget_unknowns(isl::set elements);

 private:
  isl::pw_aff unknown(std::string why, place where = {});
  isl::pw_aff product(expression const& value);
  isl::pw_aff quotient(expression const& value);
  isl::pw_aff choice(expression const& value);
  isl::pw_aff divided(isl::pw_aff const& dividend, std::int64_t size, operation rounding) const;

  isl::ctx context_;
  isl::set all_, context_known_;
  int unknowns_ = 0;
  std::vector<cause> causes_;
};

}  // namespace ballast::mesicc
