// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ballast/error.hpp"
#include "scratch_folder.hpp"

namespace {

using ballast::recording;
using nlohmann::json;

recording const example = {.devices = {"cuda:0", "host:1"},
                           .spans = {{.device = 1,
                                      .worker = 2,
                                      .label = "for\"ce",
                                      .step = 4,
                                      .tasks = 9,
                                      .begin_ns = 5'000'001'500,
                                      .end_ns = 5'000'004'503},
                                     {.device = 0,
                                      .worker = 0,
                                      .label = "a,b",
                                      .step = 4,
                                      .tasks = 1,
                                      .begin_ns = 5'000'000'000,
                                      .end_ns = 5'000'000'007}},
                           .dropped = 12};

json chrome(recording const& what) {
  std::ostringstream out;
  ballast::detail::write_chrome_trace(out, what);
  return json::parse(out.str());
}

std::vector<json> events(json const& trace, std::string const& phase, std::string const& name = "") {
  std::vector<json> found;
  for (json const& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase && (name.empty() || event.at("name") == name)) found.push_back(event);
  }
  return found;
}

TEST(trace_chrome, writes_one_complete_event_per_span_with_exact_microseconds) {
  auto const complete = events(chrome(example), "X");
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0].at("name"), "for\"ce");
  EXPECT_EQ(complete[0].at("ts"), 1.5);
  EXPECT_EQ(complete[0].at("dur"), 3.003);
  EXPECT_EQ(complete[0].at("args"), (json{{"tasks", 9}, {"step", 4}}));
  EXPECT_EQ(complete[1].at("ts"), 0.0);
  EXPECT_EQ(complete[1].at("dur"), 0.007);
}

TEST(trace_chrome, writes_the_counts_of_a_span_and_calls_host_threads_so) {
  auto const trace = chrome({.devices = {"cuda:0"},
                             .spans = {{.worker = ballast::detail::first_host_worker + 3,
                                        .label = "run",
                                        .tasks = 2,
                                        .counts = {{"steals", 5}, {"spilled", 0}}}}});
  EXPECT_EQ(events(trace, "X").at(0).at("args"),
            (json{{"tasks", 2}, {"step", 0}, {"steals", 5}, {"spilled", 0}}));
  EXPECT_EQ(events(trace, "M", "thread_name").at(0).at("args").at("name"), "host 3");
}

TEST(trace_chrome, has_lines_of_their_own_for_copies) {
  auto const trace = chrome(
      {.devices = {"cuda:0"}, .spans = {{.worker = 1}, {.worker = ballast::detail::first_copy_worker + 1}}});
  auto const threads = events(trace, "M", "thread_name");
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[1].at("args").at("name"), "copies 1");
  EXPECT_NE(threads[0].at("tid"), threads[1].at("tid"));
}

TEST(trace_chrome, names_a_process_per_device_and_a_thread_per_worker) {
  json const trace = chrome(example);
  auto const processes = events(trace, "M", "process_name");
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[1].at("args").at("name"), "host:1");
  auto const threads = events(trace, "M", "thread_name");
  ASSERT_EQ(threads.size(), 2u);
  EXPECT_EQ(threads[1].at("args").at("name"), "worker 2");
  json const span_of_host = events(trace, "X")[0];
  EXPECT_EQ(span_of_host.at("pid"), processes[1].at("pid"));
  EXPECT_EQ(span_of_host.at("tid"), threads[1].at("tid"));
}

TEST(trace_chrome, uses_no_process_zero_and_no_thread_that_looks_like_a_main_thread) {
  for (json const& event : events(chrome(example), "X")) {
    EXPECT_NE(event.at("pid"), 0);
    EXPECT_NE(event.at("tid"), event.at("pid"));
  }
}

TEST(trace_chrome, draws_an_arrow_along_the_spans_of_each_critical_path_of_a_device) {
  using ballast::detail::critical_path;
  auto const trace =
      chrome({.devices = {"cuda:0", "cuda:1"},
              .spans = {{.worker = 2, .begin_ns = 3000, .end_ns = 4000, .counts = {{critical_path, 7}}},
                        {.worker = 1, .begin_ns = 1000, .end_ns = 2000, .counts = {{critical_path, 7}}},
                        {.worker = 3, .begin_ns = 2000, .end_ns = 3000, .counts = {{critical_path, 7}}},
                        {.worker = 1, .begin_ns = 2000, .end_ns = 2500},
                        {.device = 1, .end_ns = 9, .counts = {{critical_path, 7}}}}});
  auto const begins = events(trace, "s"), middles = events(trace, "t"), ends = events(trace, "f");
  ASSERT_EQ(begins.size(), 2u);
  ASSERT_EQ(middles.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[0].at("tid"), 1001);
  EXPECT_EQ(begins[0].at("ts"), 1.0);
  EXPECT_EQ(middles[0].at("tid"), 1003);
  EXPECT_EQ(ends[0].at("tid"), 1002);
  EXPECT_EQ(begins[0].at("id"), ends[0].at("id"));
  EXPECT_NE(begins[0].at("id"), begins[1].at("id"));
}

TEST(trace_chrome, has_lines_of_their_own_for_graphs) {
  auto const trace =
      chrome({.devices = {"cuda:0"}, .spans = {{.worker = ballast::detail::first_graph_worker + 1}}});
  EXPECT_EQ(events(trace, "M", "thread_name").at(0).at("args").at("name"), "graph 1");
}

TEST(trace_chrome, says_how_many_spans_were_dropped) {
  EXPECT_EQ(chrome(example).at("otherData").at("dropped_spans"), "12");
}

TEST(trace_chrome, is_valid_without_a_single_span) {
  EXPECT_TRUE(events(chrome({.devices = {"host"}, .spans = {}}), "X").empty());
}

TEST(trace_chrome, keeps_times_exact_over_days) {
  constexpr std::int64_t days = 400'000'000'000'001;
  recording const far = {.devices = {"host"},
                         .spans = {{.begin_ns = 0, .end_ns = 1}, {.begin_ns = days, .end_ns = days}}};
  std::ostringstream out;
  ballast::detail::write_chrome_trace(out, far);
  EXPECT_THAT(out.str(), testing::HasSubstr("\"ts\":400000000000.001,"));
}

TEST(trace_exporters, name_the_file_that_cannot_be_written) {
  ballast::test::scratch_folder const folder;
  auto const missing = folder.file("missing/t.json");
  try {
    ballast::save_chrome_trace(missing, example);
    FAIL() << "no error";
  } catch (ballast::error const& problem) {
    EXPECT_EQ(problem.what(), "cannot write " + missing + ": No such file or directory");
  }
}

}  // namespace
