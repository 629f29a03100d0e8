// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/base/error.hpp"

namespace ballast::inline device {

/// For event::since(): which of the two events has no time.
[[noreturn]] inline void refuse_unmeasured(std::string_view which) {
  refuse_argument(which, "one by record_unmeasured(), which has no time", "an event by record()");
}

}  // namespace ballast::inline device
