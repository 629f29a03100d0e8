// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "pool_search.hpp"

namespace ballast::connect4 {
namespace {

class minimax {
 public:
  explicit minimax(search_request const& request) : request_(request) {}

  search_answer answer() {
    enter_node();
    search_answer found;
    for_each_child(request_.root, 0,
                   [&](int column, score value) { found.values[static_cast<std::size_t>(column)] = value; });
    found.nodes = nodes_;
    found.stored_tasks = max_waiting_;
    return found;
  }

 private:
  score value_of(board const& at, int level) {
    enter_node();
    auto const node = kind_of(at, level, request_.lookahead, request_.rule);
    if (node.is_leaf) return node.value;
    score best = worst_at(level);
    for_each_child(at, level, [&](int, score value) { best = better_at(level, best, value); });
    return best;
  }

  template <class F>
  void for_each_child(board const& at, int level, F&& report) {
    cells landing = landing_cells(at);
    waiting_ += static_cast<std::uint64_t>(count(landing));
    max_waiting_ = std::max(max_waiting_, waiting_);
    for (; landing != 0; landing &= landing - 1) {
      auto const child = with_disc(at, lowest(landing), max_moves_at(level));
      report(column_of(landing), value_of(child, level + 1));
    }
  }

  /// Counts a node that leaves the stack.
  void enter_node() {
    --waiting_;
    constexpr std::uint64_t between_questions = 1 << 16;
    if (++nodes_ % between_questions == 0 && request_.stop_requested && request_.stop_requested())
      throw search_stopped();
  }

  search_request const& request_;
  std::uint64_t nodes_ = 0, waiting_ = 1, max_waiting_ = 1;
};

void check(search_request const& request) {
  if (request.lookahead < 1 || request.lookahead > max_lookahead)
    throw_bad_argument("lookahead", request.lookahead,
                       "a whole number from 1 to " + std::to_string(max_lookahead));
  auto const& root = request.root;
  if (has_four(root.max) || has_four(root.min) || landing_cells(root) == 0)
    throw_bad_argument("root", "a board on which the game is over", "one on which it goes on");
}

bool is_decided(score value) { return value == win || value == -win; }

void update(outlook& seen, column_values const& values, int lookahead) {
  for (std::size_t column = 0; column < columns; ++column) {
    if (!values[column]) continue;
    auto& after = seen.after[column];
    bool const decided_before = after && after->decided_in > 0;
    if (decided_before) continue;
    after = {*values[column], is_decided(*values[column]) ? lookahead : 0};
  }
}

bool all_decided(outlook const& seen) {
  return std::ranges::all_of(seen.after, [](auto const& after) { return !after || after->decided_in > 0; });
}

/// Greater is better: by value, then quick wins before slow ones, and late losses before early ones.
std::pair<score, int> rank(column_outlook const& after) {
  return {after.value, after.value == win ? -after.decided_in : after.decided_in};
}

}  // namespace

search_answer search_sequentially(search_request const& request) { return minimax(request).answer(); }

search_answer search(search_method const& method, search_request const& request) {
  check(request);
  return method.on_devices ? search_in_pool(request, method.name) : search_sequentially(request);
}

int best_column(column_values const& values) {
  int best = 0;
  for (int column = 1; column < columns; ++column)
    if (values[std::size_t(column)] > values[std::size_t(best)]) best = column;  // nullopt is the least
  return best;
}

heuristic heuristic_named(std::string_view name) {
  static constexpr std::array<std::string_view, 3> names{"H1", "H2", "H3"};
  return static_cast<heuristic>(index_among(names, "heuristic", name));
}

worker_size worker_size_named(std::string_view name) {
  static constexpr std::array<std::string_view, 3> names{"thread", "warp", "block"};
  static constexpr std::array sizes{worker_size::thread, worker_size::warp, worker_size::block};
  return sizes[index_among(names, "workers", name)];
}

std::span<search_method const> search_methods() {
  static constexpr search_method methods[] = {
      {"sequential", "depth first on one thread of the host; the reference"},
      {"chunks", "each node a task; private stacks with published chunks", true},
      {"abp", "each node a task; work stealing as in the paper", true},
      {"chase-lev", "each node a task; work stealing with circular deques", true},
      {"ring", "each node a task; one lock-free queue", true},
      {"blocking", "each node a task; one queue behind a lock", true},
      {"static", "each node a task; two arrays, a launch for each level, as in the paper", true},
      {"static-per-task", "the same with a block of the grid for each task", true},
  };
  return methods;
}

search_method const& method_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& method : search_methods()) names.push_back(method.name);
  return search_methods()[index_among(names, "method", name)];
}

outlook search_ahead(search_method const& method, search_request request) {
  int const moves_left = columns * rows - count(occupied(request.root));
  int const last = std::min(request.lookahead, moves_left);
  outlook seen;
  seen.to_the_end = last == moves_left;
  for (request.lookahead = 1; request.lookahead <= last; ++request.lookahead) {
    update(seen, search(method, request).values, request.lookahead);
    if (all_decided(seen)) break;
  }
  return seen;
}

int chosen_column(outlook const& seen) {
  int best = -1;
  for (int column = 0; column < columns; ++column) {
    auto const& after = seen.after[std::size_t(column)];
    if (!after) continue;
    if (best < 0 || rank(*after) > rank(*seen.after[std::size_t(best)])) best = column;
  }
  return best;
}

}  // namespace ballast::connect4
