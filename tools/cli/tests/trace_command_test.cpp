// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "command_run.hpp"

namespace ballast::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A line of a trace, or a device's name if the line is 0.
json name_of(int device, int line, std::string const& name) {
  return {{"ph", "M"}, {"pid", device}, {"tid", line}, {"args", {{"name", name}}}};
}

json span_of(int line, std::string const& name, double length_us, json const& args) {
  return {{"ph", "X"}, {"pid", 1},         {"tid", line}, {"name", name},
          {"ts", 0},   {"dur", length_us}, {"args", args}};
}

/// Task 1 waits for task 0 on another worker.
json trace_of_two_tasks() {
  return {{"traceEvents",
           {name_of(1, 0, "cuda:0"),
            name_of(1, 1000, "worker 0"),
            name_of(1, 1001, "worker 1"),
            name_of(1, 800, "graph 0"),
            {{"ph", "M"}, {"pid", 1}, {"args", {{"sort_index", 0}}}},
            span_of(1000, "first", 3, {{"tasks", 1}, {"round", 7}, {"graph_task", 0}}),
            span_of(1001, "second", 5,
                    {{"tasks", 1}, {"round", 7}, {"graph_task", 1}, {"waited_ns", 2500}, {"waited_for", 0}}),
            span_of(1001, "other", 50, {{"tasks", 1}}),
            {{"ph", "s"}, {"pid", 1}, {"tid", 1000}, {"ts", 0}},
            span_of(800, "graph, critical path of 8 us: first 0 second 1", 9,
                    {{"tasks", 2},
                     {"round", 7},
                     {"critical_path_ns", 8000},
                     {"work_ns", 8000},
                     {"waited_ns", 2500}})}}};
}

/// Writes a file beside the tests, for the test that runs.
std::string written(std::string const& text) {
  std::string const name = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto const path = tested_folder() / (name + ".trace.json");
  std::ofstream(path) << text;
  return "'" + path.string() + "'";
}

TEST(trace_command, prints_rounds_of_graphs_and_for_what_each_worker_waited_longest) {
  auto const result = run("trace --json " + written(trace_of_two_tasks().dump()));
  ASSERT_EQ(result.code, 0) << result.err;
  auto const printed = json::parse(result.out);
  EXPECT_EQ(printed.at("rounds"), (json{{{"graph", "cuda:0 graph 0"},
                                         {"round", 7},
                                         {"tasks", 2},
                                         {"length_us", 9.0},
                                         {"critical_path_us", 8.0},
                                         {"work_us", 8.0},
                                         {"waited_us", 2.5},
                                         {"along", "first 0 second 1"}}}));
  ASSERT_EQ(printed.at("workers").size(), 2u);
  EXPECT_EQ(printed.at("workers").at(0).at("longest_for"), "");
  EXPECT_EQ(printed.at("workers").at(1), (json{{"worker", "cuda:0 worker 1"},
                                               {"tasks", 1},
                                               {"work_us", 5.0},
                                               {"waited_us", 2.5},
                                               {"longest_us", 2.5},
                                               {"longest_for", "first 0 before second 1 in round 7"}}));
}

TEST(trace_command, prints_tables) {
  auto const result = run("trace " + written(trace_of_two_tasks().dump()));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:0 graph 0      7      2"));
  EXPECT_THAT(result.out, HasSubstr("first 0 second 1\n"));
  EXPECT_THAT(result.out, HasSubstr("first 0 before second 1 in round 7\n"));
}

TEST(trace_command, refuses_what_is_no_trace_and_a_trace_without_graphs) {
  expect_refusal("trace /nonexistent", "cannot read /nonexistent", 1);
  expect_refusal("trace " + written("{"), "is not JSON", 1);
  expect_refusal("trace " + written("{}"), "is no trace of ballast", 1);
  expect_refusal("trace " + written(R"({"traceEvents":[]})"), "no round of a graph", 1);
  auto nameless = trace_of_two_tasks();
  nameless["traceEvents"].erase(0);
  expect_refusal("trace " + written(nameless.dump()), "a line has no name", 1);
}

}  // namespace
}  // namespace ballast::cli
