// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "search.hpp"

namespace ballast::connect4 {

/// The tree as tasks of a task_pool by the method of that name (ballast::pool_methods()). The nodes of the
/// first level are dealt out to the devices, on each of which a pool runs everything below them. Throws
/// search_stopped, and pool_stopped if the tree finds no room.
search_answer search_in_pool(search_request const& request, std::string_view method);

}  // namespace ballast::connect4
