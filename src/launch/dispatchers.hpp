// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>

#include "dispatcher.hpp"

namespace ballast::detail {

/// The dispatchers of a queue, one per device; shared with its launch streams, which may outlive it.
struct dispatchers {
  std::deque<dispatcher> all;
  launch_options options;
  std::mutex making;  ///< of launch streams
};

}  // namespace ballast::detail
