// SPDX-License-Identifier: Apache-2.0
// The measurements of Mohan and Gopalan, "Dynamic Load Balancing using Graphics Processors", 2014.

#include <algorithm>
#include <string>
#include <vector>

#include "connect4/pool_search.hpp"
#include "pool/benchmarks.hpp"
#include "pool/connect4_tree.hpp"

namespace ballast::bench {
namespace {

constexpr int blocks_of_the_paper = 240;

std::vector<int> lookaheads(session& now, std::string_view method) {
  if (now.quick()) return {3, 4};
  if (!now.first()->is_cuda()) return {4, 5, 6, 7};
  if (!method.starts_with("static")) return {5, 6, 7, 8, 9, 10, 11};
  now.parameter("not tried: " + std::string(method) + "@10",
                "what a level may create needs 90 GB beside 110 GB in use");
  return {5, 6, 7, 8, 9};
}

/// The numbers of blocks to sweep; 0: as many as fit.
std::vector<int> swept_blocks(session const& now) {
  int const most = now.first()->properties().multiprocessors;
  if (!now.first()->is_cuda()) return most == 1 ? std::vector<int>{1} : std::vector<int>{1, most};
  if (now.quick()) return {most, blocks_of_the_paper};
  return {most, blocks_of_the_paper, 4 * most, 16 * most, 0};
}

/// A greater look-ahead is tried only after searches shorter than this: it takes some seven times as long.
constexpr double max_search_seconds = 0.2;

/// Measures one point. False, with a note in the record, if the tree does not fit or takes too long, or if
/// the next look-ahead would.
bool measure_tree(session& now, connect4_answers& known, std::string const& curve, double x,
                  connect4_tree& tree, int lookahead) {
  try {
    bool is_right = true;
    double longest = 0;
    now.measure(curve, x, "tasks/ms", [&] {
      auto const seconds = tree.search();
      longest = std::max(longest, seconds);
      is_right = is_right && known.agrees(lookahead, tree.answer());
      return double(tree.answer().nodes) / seconds / 1000;
    });
    now.verify(is_right, connect4_answers::how);
    if (longest < max_search_seconds) return true;
    now.parameter(
        "ends here: " + curve + "@" + std::to_string(int(x)),
        "a search takes " + std::to_string(longest) + " s, the next look-ahead some seven times as long");
    return false;
  } catch (pool_stopped const& stopped) {
    now.parameter("not measured: " + curve + "@" + std::to_string(int(x)), std::string(stopped.what()));
    return false;
  }
}

std::size_t max_blocks(session const& now, std::string const& method, connect4::worker_size workers) {
  pool_options options;
  if (method != "static-per-task") options.method = method;
  task_pool pool(now.first(), connect4::pool_kernels(workers), options);
  return pool.run(std::span<task const>()).workers.size();
}

/// Measures growing look-aheads. Ends with the one that does not fit or takes too long: larger ones would
/// too.
void measure_blocks(session& now, connect4_answers& known, std::string const& name, std::string const& method,
                    connect4::worker_size workers, int blocks) {
  double const x = blocks == 0 ? double(max_blocks(now, method, workers)) : blocks;
  for (int const lookahead : lookaheads(now, method)) {
    connect4_tree tree(now.first(), method, lookahead, blocks, workers);
    auto const curve = name + ", look-ahead " + std::to_string(lookahead);
    if (!measure_tree(now, known, curve, x, tree, lookahead)) return;
  }
}

void measure_storage(session& now, connect4_answers& known, std::string const& curve, std::string_view method,
                     connect4::worker_size workers, int blocks) {
  for (int const lookahead : lookaheads(now, method)) {
    connect4_tree tree(now.first(), method, lookahead, blocks, workers);
    bool const goes_on = measure_tree(now, known, curve, lookahead, tree, lookahead);
    if (tree.answer().nodes == 0) return;  // no answer was found
    now.add(curve + " stored", lookahead, "tasks", {double(tree.answer().stored_tasks)});
    now.add(curve + " memory", lookahead, "B", {double(tree.memory_bytes())});
    if (!goes_on) return;
  }
}

/// The paper's methods: the threads of a block share a task, and each block has a deque.
constexpr char const* methods_of_the_paper[] = {"static", "abp"};

/// The default method and the paper's, with blocks whose threads share a task.
void measure_wider_workers(session& now, connect4_answers& known, int blocks) {
  std::string const by_default(pool_methods().front().name);
  measure_storage(now, known, by_default + " by warps", by_default, connect4::worker_size::warp, blocks);
  for (std::string const method : {by_default.c_str(), methods_of_the_paper[0], methods_of_the_paper[1]})
    measure_storage(now, known, method + " by blocks", method, connect4::worker_size::block, blocks);
}

}  // namespace

void measure_connect4_blocks(session& now) {
  now.axes("Four in a row by blocks", "blocks", "tasks per millisecond", true, true);
  now.repeat(1, now.size(3, 2));
  now.parameter("heuristic", "H1");
  now.parameter("static-per-task", "a block for each task; stands where all workers of chunks do");
  connect4_answers known;
  for (auto const& method : pool_methods()) {
    bool const has_a_block_per_task = method.name == "static-per-task";
    auto const counts = has_a_block_per_task ? std::vector{0} : swept_blocks(now);
    std::string const name(method.name);
    for (int const blocks : counts)
      measure_blocks(now, known, name, name, connect4::worker_size::thread, blocks);
  }
  for (std::string const method : methods_of_the_paper)
    for (int const blocks : swept_blocks(now))
      measure_blocks(now, known, method + " by blocks", method, connect4::worker_size::block, blocks);
}

void measure_connect4_storage(session& now) {
  int const blocks = now.first()->is_cuda() ? blocks_of_the_paper : 0;
  now.axes("Four in a row: tasks per millisecond, and tasks stored", "look-ahead",
           "tasks per millisecond, tasks", false, true);
  now.repeat(1, now.size(3, 2));
  now.parameter("heuristic", "H1");
  now.parameter("blocks", blocks);
  connect4_answers known;
  for (auto const& method : pool_methods())
    measure_storage(now, known, std::string(method.name), method.name, connect4::worker_size::thread, blocks);
  measure_wider_workers(now, known, blocks);
}

}  // namespace ballast::bench
