// SPDX-License-Identifier: Apache-2.0
#include "sequential.hpp"

#include <algorithm>

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

  /// A node leaves the stack.
  void enter_node() {
    --waiting_;
    constexpr std::uint64_t between_questions = 1 << 16;
    if (++nodes_ % between_questions == 0 && request_.stop_requested && request_.stop_requested())
      throw search_stopped();
  }

  search_request const& request_;
  std::uint64_t nodes_ = 0, waiting_ = 1, max_waiting_ = 1;
};

}  // namespace

search_answer search_sequentially(search_request const& request) { return minimax(request).answer(); }

}  // namespace ballast::connect4
