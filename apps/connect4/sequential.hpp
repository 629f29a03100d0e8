// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search.hpp"

namespace ballast::connect4 {

/// Minimax as the books have it, on the calling thread: what the other methods are checked against.
/// `stored_tasks` counts as if the children of a node waited on a stack until they are entered.
search_answer search_sequentially(search_request const& request);

}  // namespace ballast::connect4
