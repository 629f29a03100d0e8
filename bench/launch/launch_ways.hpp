// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ballast/launch_queue.hpp"

namespace ballast::bench {

/// Options of a queue, with a name for curves.
struct launch_way {
  std::string name;
  launch_options options;
};

/// The default queue ("default"), and each order by name with and without merging.
std::vector<launch_way> launch_ways();

}  // namespace ballast::bench
