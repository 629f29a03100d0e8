// SPDX-License-Identifier: Apache-2.0
// Checks that the methods on devices give the sequential method's results.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "ballast/arguments.hpp"
#include "connect4/match.hpp"
#include "connect4/search.hpp"
#include "references.hpp"
#include "sanitized.hpp"

namespace ballast::connect4 {
namespace {

/// A method by name, and its workers.
using way = std::tuple<std::string_view, worker_size>;

class connect4_pool_search : public testing::TestWithParam<way> {
 protected:
  static std::string_view method() { return std::get<0>(GetParam()); }
  static worker_size workers() { return std::get<1>(GetParam()); }
  static device_list test_devices() {
    return open_devices(environment("BALLAST_TEST_DEVICES").value_or("host:2"));
  }
  static search_answer found(std::string_view moves, int lookahead, heuristic rule,
                             device_list const& devices) {
    return search(method_named(method()), {board_after(moves), lookahead, rule, devices, {}, workers()});
  }
  /// The greatest look-ahead to compare. Deeper trees take long, and would add little about the wider
  /// workers. On a GPU thousands of workers wait for the lock of `blocking`.
  static int deepest_reference() {
    bool const waits_for_lock = method() == "blocking" && test_devices().front()->is_cuda();
    return test::sanitized || waits_for_lock || workers() != worker_size::thread ? 5 : max_lookahead;
  }
};

TEST_P(connect4_pool_search, finds_the_reference_values_and_nodes) {
  auto const devices = test_devices();
  for (auto const& known : references) {
    if (known.lookahead > deepest_reference()) continue;
    SCOPED_TRACE(name_of(known));
    auto const answer = found(known.moves, known.lookahead, known.rule, devices);
    for (std::size_t column = 0; column < known.values.size(); ++column)
      EXPECT_EQ(answer.values[column], known.values[column]) << column;
    EXPECT_EQ(answer.nodes, known.nodes);
    EXPECT_GT(answer.stored_tasks, 0u);
  }
}

TEST_P(connect4_pool_search, finds_wins_losses_and_full_columns_as_the_sequential_search_does) {
  auto const devices = test_devices();
  for (auto const* moves : {"445566", "444444", "112233", "4444443333335", "121212343434"})
    for (int const lookahead : {1, 2, 5}) {
      auto const expected =
          search(method_named("sequential"), {board_after(moves), lookahead, heuristic::h1, {}, {}});
      auto const answer = found(moves, lookahead, heuristic::h1, devices);
      EXPECT_EQ(answer.values, expected.values) << moves;
      EXPECT_EQ(answer.nodes, expected.nodes) << moves;
    }
}

TEST_P(connect4_pool_search, finds_the_same_on_several_devices) {
  auto const devices = open_devices("host:1,host:1,host:1");
  auto const answer = found("4453", 5, heuristic::h1, devices);
  auto const expected = search(method_named("sequential"), {board_after("4453"), 5, heuristic::h1, {}, {}});
  EXPECT_EQ(answer.values, expected.values);
  EXPECT_EQ(answer.nodes, expected.nodes);
}

TEST_P(connect4_pool_search, finds_the_same_on_more_devices_than_a_pool_takes) {
  std::string list = "host:1";
  for (int i = 1; i < 17; ++i) list += ",host:1";
  auto const answer = found("4453", 3, heuristic::h1, open_devices(list));
  auto const expected = search(method_named("sequential"), {board_after("4453"), 3, heuristic::h1, {}, {}});
  EXPECT_EQ(answer.values, expected.values);
  EXPECT_EQ(answer.nodes, expected.nodes);
}

TEST_P(connect4_pool_search, ends_when_it_is_told_to_stop) {
  search_request request{board_after(""), 16, heuristic::h1, test_devices(), [] { return true; }, workers()};
  bool const stores_levels = method().starts_with("static") || method() == "ring" || method() == "blocking";
  if (stores_levels) request.lookahead = 7;
  try {
    search(method_named(method()), request);
  } catch (search_stopped const&) { return; }
  EXPECT_TRUE(stores_levels) << "a tree of 7^16 nodes was searched";
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (auto const& method : search_methods())
    if (method.on_devices) all.push_back(method.name);
  return all;
}
std::string name_of_case(testing::TestParamInfo<way> const& tested) {
  auto const [method, workers] = tested.param;
  std::string name(method);
  name += workers == worker_size::thread ? "_by_thread"
          : workers == worker_size::warp ? "_by_warp"
                                         : "_by_block";
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(methods, connect4_pool_search,
                         testing::Combine(testing::ValuesIn(names()),
                                          testing::Values(worker_size::thread, worker_size::warp,
                                                          worker_size::block)),
                         name_of_case);

}  // namespace
}  // namespace ballast::connect4
