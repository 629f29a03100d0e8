// SPDX-License-Identifier: Apache-2.0
// How far several workers of the method `bands` leave the order of keys, by the real worker loops on an
// invented clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "invented_pool.hpp"
#include "sanitized.hpp"

namespace ballast::test::relaxed_order_test {
using namespace detail;
using namespace invented;
namespace {

/// A tree of 4 children each. No child has a smaller key than its parent.
invented_tree tree_by(std::string name, std::function<std::uint32_t(node)> key) {
  return {std::move(name), [](node one) { return one.depth < (sanitized ? 4u : 6u) ? 4u : 0u; },
          [](node one) { return std::int64_t(5 + one.draw() % 30); }, std::move(key)};
}
invented_tree tree_in_one_window() {
  return tree_by("keys below 32", [](node one) { return 4 * one.depth + one.draw() % 5; });
}
std::vector<invented_tree> all_trees() {
  return {tree_in_one_window(),
          tree_by("keys of many windows", [](node one) { return 300 * one.depth + one.draw() % 301; }),
          tree_by("one key", [](node) { return 7u; })};
}

std::vector<std::uint32_t> numbers_of_workers() { return {1, 3, 8, 24}; }

struct played {
  std::size_t tasks = 0, different = 0, left = 0;
  std::size_t most_better = 0;  ///< that were there when a worse task ran
};

played play(std::uint32_t workers, invented_tree const& tree) {
  played found;
  std::set<std::pair<std::uint32_t, std::uint32_t>> run;
  std::multiset<std::uint32_t> there{tree.key({0, 1})};
  invented_pool<bands_ref> pool(workers, tree);
  pool.sees = [&](node one, std::uint32_t key) {
    run.insert({one.depth, one.number});
    found.most_better =
        std::max(found.most_better, std::size_t(std::distance(there.begin(), there.lower_bound(key))));
    if (auto const at = there.find(key); at != there.end()) there.erase(at);
    for (std::uint32_t i = 0; i < tree.children(one); ++i)
      there.insert(tree.key({one.depth + 1, one.number * list::max_spawns + i + 1}));
  };
  (void)pool.ticks();
  found.tasks = pool.tasks();
  found.different = run.size();
  found.left = there.size();
  return found;
}

TEST(order_of_bands, has_each_task_once_by_any_number_of_workers) {
  for (auto const& tree : all_trees())
    for (auto const workers : numbers_of_workers()) {
      auto const found = play(workers, tree);
      EXPECT_EQ(found.different, found.tasks) << tree.name << " by " << workers << " workers";
      EXPECT_EQ(found.left, 0u) << tree.name << " by " << workers << " workers";
    }
}

TEST(order_of_bands, leaves_at_most_16_better_tasks_to_each_other_worker) {
  for (auto const& tree : all_trees())
    for (auto const workers : numbers_of_workers())
      EXPECT_LE(play(workers, tree).most_better, 16 * (workers - 1))
          << tree.name << " by " << workers << " workers";
}

}  // namespace
}  // namespace ballast::test::relaxed_order_test
