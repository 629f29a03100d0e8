// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <isl/cpp.h>

#include <string>

namespace ballast::mesicc {

/// `elements` with another name for one of its parameters; `to` must not be among them.
inline isl::set renamed(isl::set const& elements, std::string const& from, std::string const& to) {
  int const place = isl_set_find_dim_by_name(elements.get(), isl_dim_param, from.c_str());
  if (place < 0) return elements;
  return isl::manage(isl_set_set_dim_id(elements.copy(), isl_dim_param, unsigned(place),
                                        isl::id(elements.ctx(), to).release()));
}

}  // namespace ballast::mesicc
