// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace ballast::test {

/// What the exception of a call says, or "" if it throws none.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (std::exception const& problem) { return problem.what(); }
  return "";
}

}  // namespace ballast::test
