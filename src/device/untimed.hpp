// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/error.hpp"

namespace ballast::detail {

/// For event::since(): which of the two events has no time.
[[noreturn]] inline void throw_untimed(std::string_view which) {
  throw_bad_argument(which, "one by record_untimed(), which has no time", "an event by record()");
}

}  // namespace ballast::detail
