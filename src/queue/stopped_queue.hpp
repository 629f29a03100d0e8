// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ballast/error.hpp"

namespace ballast::detail {

/// What a queue throws whose kernel on `device` ended with that many accepted tasks not known to have run.
inline stopped stopped_queue(std::string_view device, std::uint64_t unfinished, std::string_view why) {
  return {"the resident kernel on " + std::string(device) + " ended (" + std::string(why) + ") with up to " +
              std::to_string(unfinished) + " accepted tasks not executed; stop() hands them back",
          unfinished};
}

}  // namespace ballast::detail
