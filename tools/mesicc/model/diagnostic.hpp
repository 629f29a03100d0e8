// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/place.hpp"

namespace ballast::mesicc {

enum class severity : std::uint8_t { error, warning, remark };

struct note {
  place where;
  std::string message;
};

/// Printed in clang's style, followed by its notes.
struct diagnostic {
  severity level = severity::error;
  place where;
  std::string message;
  std::vector<note> notes = {};
};

}  // namespace ballast::mesicc
