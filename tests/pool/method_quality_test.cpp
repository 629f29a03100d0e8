// SPDX-License-Identifier: Apache-2.0
// How near the default method comes to the best one, by the real worker loops on an invented clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "ballast/task_pool.hpp"
#include "invented_pool.hpp"
#include "sanitized.hpp"

namespace ballast::test::method_quality_test {
using namespace detail;
using namespace invented;
namespace {

std::vector<invented_tree> invented_trees() {
  auto const until = [](std::uint32_t depth, std::uint32_t children) {
    return [=](node one) { return one.depth < depth ? children : 0; };
  };
  auto const even = [](std::int64_t ticks) { return [=](node) { return ticks; }; };
  return {{"binary, tiny tasks", until(13, 2), even(1)},
          {"binary, tasks of 20", until(13, 2), even(20)},
          {"four children each", until(7, 4), even(10)},
          {"unbalanced",
           [](node one) { return one.depth < 6                           ? 4u
                                 : one.draw() % 8 == 0 && one.depth < 40 ? 4u
                                                                         : 0; },
           even(20)},
          {"a comb", [](node one) { return one.number % 4 == 1 && one.depth < 2000 ? 2u : 0; }, even(20)},
          {"few long tasks", until(3, 4), even(1000)},
          {"one giant leaf among tiny ones", until(13, 2),
           [](node one) { return one.depth == 13 && one.draw() % 8192 == 0 ? 1000 : 2; }}};
}

/// The ticks of each method, by its name.
std::map<std::string, std::int64_t> ticks_by_method(std::uint32_t workers, invented_tree const& tree) {
  std::map<std::string, std::int64_t> ticks;
  std::map<std::string, std::uint64_t> tasks;
  auto const play = [&]<class Method>(std::string const& name, std::type_identity<Method>) {
    invented_pool<Method> pool(workers, tree);
    ticks[name] = pool.ticks();
    tasks[name] = pool.tasks();
  };
  play("chunks", std::type_identity<chunks_ref>());
  play("bands", std::type_identity<bands_ref>());
  play("abp", std::type_identity<abp_ref>());
  play("chase-lev", std::type_identity<chase_lev_ref>());
  play("ring", std::type_identity<shared_ring_ref>());
  play("blocking", std::type_identity<locked_queue_ref>());
  for (auto const& method : pool_methods()) {
    bool const has_workers = !method.name.starts_with("static");  // that launches each level of tasks
    EXPECT_EQ(ticks.contains(std::string(method.name)), has_workers) << method.name;
  }
  for (auto const& [name, ran] : tasks) EXPECT_EQ(ran, tasks["blocking"]) << tree.name << " by " << name;
  return ticks;
}

/// Without threads, so a sanitizer sees in few workers what it would see in all, which take a minute.
TEST(the_default_method, takes_at_most_a_tenth_longer_than_the_best_by_name_on_invented_workers) {
  std::vector<std::uint32_t> const numbers_of_workers =
      sanitized ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{1, 2, 8, 24};
  for (auto const& tree : invented_trees())
    for (auto const workers : numbers_of_workers) {
      auto const all = ticks_by_method(workers, tree);
      auto const best = std::ranges::min_element(all, {}, [](auto const& one) { return one.second; });
      EXPECT_LE(double(all.at(std::string(pool_methods().front().name))), 1.1 * double(best->second))
          << tree.name << " by " << workers << " workers; best: " << best->first;
    }
}

}  // namespace
}  // namespace ballast::test::method_quality_test
