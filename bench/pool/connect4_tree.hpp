// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "ballast/device.hpp"
#include "ballast/task_pool.hpp"
#include "connect4/search.hpp"

namespace ballast::bench {

/// Searches the tree of the empty board by H1, repeatedly, in one pool.
class connect4_tree {
 public:
  /// `blocks`: the number of the pool's blocks, 0: as many as fit. A block has the threads of `workers`, or a
  /// warp if threads are workers. Throws as task_pool.
  connect4_tree(std::shared_ptr<compute_device> const& device, std::string_view method, int lookahead,
                int blocks, connect4::worker_size workers = connect4::worker_size::thread);

  /// Seconds of one search, without making the pool. Throws pool_stopped if the tree does not fit or takes
  /// more than 10 seconds.
  double search();
  /// The result of the last search. `stored_tasks` is the maximum over all searches.
  connect4::search_answer const& answer() const { return answer_; }
  std::size_t memory_bytes() const { return pool_.memory_bytes(); }

 private:
  connect4::search_request request_;
  pinned_buffer<connect4::score> values_;
  std::vector<task> roots_;
  task_pool pool_;
  connect4::search_answer answer_;
};

/// The expected answers: up to look-ahead 8 the sequential program's, beyond that the first search's.
class connect4_answers {
 public:
  bool agrees(int lookahead, connect4::search_answer const& answer);
  static constexpr char const* how =
      "columns' values and number of nodes are a sequential program's up to look-ahead 8, beyond it all "
      "methods' "
      "are the same";

 private:
  std::map<int, connect4::search_answer> known_;
};

}  // namespace ballast::bench
