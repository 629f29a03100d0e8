// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "node.cuh"

namespace ballast::connect4 {

/// The number of threads of a GPU that run a task together. On CPU cores one thread runs each task, in any
/// case.
enum class worker_size { thread = 1, warp = 32, block = 64 };

/// A tree to search: every node down to the look-ahead, without pruning, each node as often as it is reached.
struct search_request {
  board root;         ///< MAX is to move; the game is not over
  int lookahead = 7;  ///< levels below the root, 1 to max_lookahead
  heuristic rule = heuristic::h1;
  device_list devices;                        ///< for methods that run on devices, else empty
  std::function<bool()> stop_requested = {};  ///< called now and then by the searching thread; may be empty
  worker_size workers = worker_size::thread;  ///< for methods that run on devices
};

/// The value of each column for MAX; nothing for a full column.
using column_values = std::array<std::optional<score>, columns>;

struct search_answer {
  column_values values;
  std::uint64_t nodes = 0;         ///< of the tree, including the root
  std::uint64_t stored_tasks = 0;  ///< the most that needed storage at any time
};

/// The search ended because stop_requested() returned true.
class search_stopped : public error {
 public:
  search_stopped() : error("the search was stopped before it had an answer") {}
};

/// A way to search a tree. All methods give the same values and nodes.
struct search_method {
  std::string_view name, summary;
  bool on_devices = false;  ///< uses the pool method of that name, with request.devices and request.workers
};

/// Checks the request, then searches. Waits for the answer. Throws bad_argument ("lookahead"; "root" if that
/// game is over), search_stopped, and the method's exceptions.
search_answer search(search_method const& method, search_request const& request);

/// The lowest column (0 to 6) among those of the greatest value; at least one has a value.
int best_column(column_values const& values);

/// The heuristic of the name "H1", "H2" or "H3"; throws bad_argument ("heuristic").
heuristic heuristic_named(std::string_view name);

/// The size of the name "thread", "warp" or "block"; throws bad_argument ("workers").
worker_size worker_size_named(std::string_view name);

/// Every method by name.
std::span<search_method const> search_methods();

/// The method of that name. Throws bad_argument ("method"), which lists the names.
search_method const& method_named(std::string_view name);

/// Textbook minimax on the calling thread, the reference for the other methods. `stored_tasks` counts as if
/// the children of a node waited on a stack until they are entered.
search_answer search_sequentially(search_request const& request);

/// The outcome of a move into a column, for the side to move.
struct column_outlook {
  score value = 0;     ///< at the whole look-ahead
  int decided_in = 0;  ///< if won or lost: the moves of both sides until then, including this one; else 0
};

struct outlook {
  std::array<std::optional<column_outlook>, columns> after;  ///< nothing for a full column
  bool to_the_end = false;  ///< the look-ahead reaches the end of the game: a value of 0 is a draw
};

/// Searches with look-aheads of 1, 2, ... up to the request's: a single search does not show how far away a
/// win is. Throws like search().
outlook search_ahead(search_method const& method, search_request request);

/// The column (0 to 6) to play: the quickest win, else the greatest value, else the latest loss; the lowest
/// among equals.
int chosen_column(outlook const& seen);

}  // namespace ballast::connect4
