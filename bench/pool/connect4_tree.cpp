// SPDX-License-Identifier: Apache-2.0
#include "pool/connect4_tree.hpp"

#include <algorithm>
#include <array>

#include "connect4/pool_search.hpp"
#include "connect4/search.hpp"
#include "harness/session.hpp"

namespace ballast::bench {
namespace {

constexpr int max_sequential_lookahead = 8;

pool_options options_for(std::string_view method, int lookahead, int blocks) {
  auto options = connect4::pool_options_for(method, lookahead);
  options.resident.blocks = blocks;
  options.timeout = std::chrono::seconds(10);
  return options;
}

connect4::search_request from_the_start(int lookahead,
                                        connect4::worker_size workers = connect4::worker_size::thread) {
  connect4::search_request request;
  request.lookahead = lookahead;
  request.workers = workers;
  return request;
}

constexpr std::array all_columns{0, 1, 2, 3, 4, 5, 6};

}  // namespace

connect4_tree::connect4_tree(std::shared_ptr<compute_device> const& device, std::string_view method,
                             int lookahead, int blocks, connect4::worker_size workers)
    : request_(from_the_start(lookahead, workers)),
      values_(device, connect4::columns),
      roots_(connect4::first_level(request_, all_columns, array_ref<connect4::score>(values_.data()))),
      pool_(device, connect4::pool_kernels(workers), options_for(method, lookahead, blocks)) {}

double connect4_tree::search() {
  pool_statistics statistics;
  auto const seconds = seconds_of([&] { statistics = pool_.run(roots_); });
  for (int const column : all_columns) answer_.values[std::size_t(column)] = values_[std::size_t(column)];
  answer_.nodes = 1 + statistics.created - statistics.joins;
  answer_.stored_tasks = std::max(answer_.stored_tasks, statistics.max_stored);
  return seconds;
}

bool connect4_answers::agrees(int lookahead, connect4::search_answer const& answer) {
  if (!known_.contains(lookahead))
    known_[lookahead] = lookahead <= max_sequential_lookahead
                            ? connect4::search_sequentially(from_the_start(lookahead))
                            : answer;
  auto const& known = known_[lookahead];
  return answer.values == known.values && answer.nodes == known.nodes;
}

}  // namespace ballast::bench
