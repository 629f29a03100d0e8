// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>

#include "issuer.hpp"

namespace ballast::inline launch {

/// The issuers of a queue, one per device; shared with its producers, which may outlive it.
struct issuers {
  std::deque<issuer> all;
  launch_options options;
  std::mutex making;  ///< of producers
};

}  // namespace ballast::inline launch
