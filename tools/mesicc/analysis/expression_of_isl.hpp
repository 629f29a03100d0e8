// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include "model/expression.hpp"

namespace ballast::mesicc {

/// `value` where `limits`, a set of parameters, hold. Throws isl::exception for what no expression can say.
expression expression_of(isl::pw_aff const& value, isl::set const& limits);
/// Whether the parameters are in `holds`, which is within `limits`.
condition condition_of(isl::set const& holds, isl::set const& limits);

}  // namespace ballast::mesicc
