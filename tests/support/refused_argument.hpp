// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/error.hpp"

namespace ballast::test {

/// The argument that a call refuses, or "nothing".
template <class Call>
std::string refused_argument(Call call) {
  try {
    call();
  } catch (bad_argument const& refusal) { return refusal.argument(); }
  return "nothing";
}

}  // namespace ballast::test
