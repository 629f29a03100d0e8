// SPDX-License-Identifier: Apache-2.0
#include "report/run_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ballast/error.hpp"
#include "scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using ballast::bad_argument;
using ballast::json_value;
using ballast::run_record;
using ballast::test::scratch_folder;

run_record example_record() {
  run_record record;
  record.benchmark = "md/solutions";
  record.version = "0.1.0";
  record.started = "2026-01-31T09:05:00Z";
  record.command = {"ballast", "md", "--steps", "10"};
  record.source = {"abc", true};
  record.machine = ballast::this_machine({{"NVIDIA H200", 132, 150754820096, "9.0"}}, "13.0");
  record.devices = {"cuda:0"};
  record.policies = {{"batch", "drained"}};
  record.parameters = {{"atoms", 4096}, {"cutoff", 12.0}};
  record.warm_up = 1;
  record.repetitions = 3;
  record.series = {{"TQ.seconds_per_step", "s", {0.3, 0.1, 0.2}}};
  record.derived = {{"TQ.speedup", 1.25}};
  record.answer = {true, "forces bitwise equal to S1's"};
  return record;
}

TEST(report_run_record, holds_the_raw_samples_in_order_and_their_summary) {
  auto const read = nlohmann::json::parse(to_json(example_record()).text(2));
  auto const& series = read.at("series").at(0);
  EXPECT_EQ(series.at("name"), "TQ.seconds_per_step");
  EXPECT_EQ(series.at("samples"), (std::vector{0.3, 0.1, 0.2}));
  EXPECT_EQ(series.at("summary").at("count"), 3);
  EXPECT_EQ(series.at("summary").at("median"), 0.2);
  EXPECT_EQ(series.at("summary").at("min"), 0.1);
}

TEST(report_run_record, says_what_ran_where_and_whether_it_was_right) {
  auto const read = nlohmann::json::parse(to_json(example_record()).text());
  EXPECT_EQ(read.at("schema"), "ballast-run/1");
  EXPECT_EQ(read.at("command").at(3), "10");
  EXPECT_EQ(read.at("source"), (nlohmann::json{{"commit", "abc"}, {"clean", true}}));
  EXPECT_EQ(read.at("machine").at("gpus").at(0).at("multiprocessors"), 132);
  EXPECT_EQ(read.at("machine").at("cuda_runtime"), "13.0");
  EXPECT_EQ(read.at("parameters").at("cutoff"), 12.0);
  EXPECT_EQ(read.at("policies").at("batch"), "drained");
  EXPECT_EQ(read.at("answer").at("verified"), true);
}

TEST(report_run_record, writes_null_for_a_source_that_is_unknown) {
  auto record = example_record();
  record.source = {};
  auto const read = nlohmann::json::parse(to_json(record).text());
  EXPECT_TRUE(read.at("source").at("commit").is_null());
  EXPECT_TRUE(read.at("source").at("clean").is_null());
}

TEST(report_run_record, refuses_names_and_samples_that_make_no_sense) {
  auto record = example_record();
  record.benchmark = "../x y";
  EXPECT_THROW(to_json(record), bad_argument);
  record = example_record();
  record.series.push_back(record.series.front());
  EXPECT_THROW(to_json(record), bad_argument);
  record = example_record();
  record.series.front().samples.clear();
  EXPECT_THROW(to_json(record), bad_argument);
  record.series.front().samples = {std::nan("")};
  EXPECT_THROW(to_json(record), bad_argument);
}

TEST(report_run_record, holds_the_curves_and_how_to_draw_them) {
  auto record = example_record();
  record.series.push_back({"TQ.seconds_per_step@64", "s", {0.5}, "TQ", 64.0});
  record.axes = {"Time of a step", "atoms", "s", true, false};
  auto const read = nlohmann::json::parse(to_json(record).text());
  EXPECT_EQ(read.at("series").at(0).at("curve"), "");
  EXPECT_TRUE(read.at("series").at(0).at("x").is_null());
  EXPECT_EQ(read.at("series").at(1).at("curve"), "TQ");
  EXPECT_EQ(read.at("series").at(1).at("x"), 64);
  EXPECT_EQ(read.at("axes"), (nlohmann::json{{"title", "Time of a step"},
                                             {"x_label", "atoms"},
                                             {"y_label", "s"},
                                             {"x_log", true},
                                             {"y_log", false}}));
}

TEST(report_run_record, refuses_points_that_no_plot_could_place) {
  auto const with = [](std::vector<ballast::sample_series> series) {
    auto record = example_record();
    record.series = std::move(series);
    return record;
  };
  EXPECT_THROW(to_json(with({{"a", "s", {1.0}, "TQ", {}}})), bad_argument);
  EXPECT_THROW(to_json(with({{"a", "s", {1.0}, "TQ", std::nan("")}})), bad_argument);
  EXPECT_THROW(to_json(with({{"a", "s", {1.0}, "TQ", 1.0}, {"b", "s", {1.0}, "TQ", 1.0}})), bad_argument);
  EXPECT_NO_THROW(to_json(with({{"a", "s", {1.0}, "TQ", 1.0}, {"b", "1", {1.0}, "TQ", 1.0}})));
  EXPECT_NO_THROW(to_json(with({{"a", "s", {1.0}, "TQ", 1.0}, {"b", "s", {1.0}, "S1", 1.0}})));
}

TEST(report_run_record, is_filed_by_machine_and_never_over_another) {
  scratch_folder const folder;
  fs::path const results = folder.path() / "results";
  auto const first = write_run_record(results, example_record());
  auto const second = write_run_record(results, example_record());
  EXPECT_EQ(first, results / "1x-nvidia-h200" / "md-solutions-20260131T090500Z.json");
  EXPECT_EQ(second, results / "1x-nvidia-h200" / "md-solutions-20260131T090500Z-2.json");
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(first)), nlohmann::json::parse(std::ifstream(second)));
}

TEST(report_run_record, is_filed_apart_by_a_part_of_its_name) {
  scratch_folder const results;
  EXPECT_EQ(write_run_record(results.path(), example_record(), "8-connections").filename(),
            "md-solutions-8-connections-20260131T090500Z.json");
  EXPECT_THROW(write_run_record(results.path(), example_record(), "../elsewhere"), ballast::bad_argument);
}

TEST(report_run_record, names_the_folder_that_cannot_be_made) {
  for (auto const write : {+[] { write_run_record("/dev/null/results", example_record()); },
                           +[] { require_run_folder("/dev/null/results", example_record()); }}) {
    try {
      write();
      FAIL() << "no error";
    } catch (ballast::error const& problem) {
      EXPECT_TRUE(std::string(problem.what()).find("/dev/null/results") != std::string::npos);
    }
  }
}

TEST(report_run_record, leaves_an_empty_folder_where_it_was_tried_whether_one_can_be_written) {
  scratch_folder const results;
  require_run_folder(results.path(), example_record());
  EXPECT_TRUE(fs::is_empty(results.path() / "1x-nvidia-h200"));
}

TEST(report_machine, is_named_after_its_gpus_or_its_cpu) {
  ballast::machine_facts facts;
  facts.cpu = "AMD EPYC(TM) 9575F 64-Core  @ 3.3GHz ";
  facts.cores = 2;
  EXPECT_EQ(machine_name(facts), "amd-epyc-tm-9575f-64-core-3-3ghz-2-cores");
  facts.gpus.resize(2, {"NVIDIA H200", 132, 0, "9.0"});
  EXPECT_EQ(machine_name(facts), "2x-nvidia-h200");
}

TEST(report_machine, knows_its_cores_and_memory) {
  auto const here = ballast::this_machine();
  EXPECT_GE(here.cores, 1u);
  EXPECT_GT(here.memory_bytes, std::size_t(1) << 20);
  EXPECT_FALSE(here.name.empty());
  EXPECT_FALSE(here.system.empty());
}

TEST(report_machine, spells_cuda_versions) {
  EXPECT_EQ(ballast::cuda_version_text(13000), "13.0");
  EXPECT_EQ(ballast::cuda_version_text(12080), "12.8");
  EXPECT_EQ(ballast::cuda_version_text(0), "");
}

TEST(report_source, comes_from_the_environment_if_it_is_given_there) {
  setenv("BALLAST_COMMIT", "0123abc-dirty", 1);
  EXPECT_EQ(ballast::current_source(), (ballast::source_state{"0123abc", false}));
  setenv("BALLAST_COMMIT", "0123abc", 1);
  EXPECT_EQ(ballast::current_source(), (ballast::source_state{"0123abc", true}));
  unsetenv("BALLAST_COMMIT");
}

TEST(report_source, is_a_whole_hash_or_unknown_without_it) {
  unsetenv("BALLAST_COMMIT");
  auto const found = ballast::current_source();
  EXPECT_EQ(found.commit.empty(), !found.clean.has_value());
  EXPECT_TRUE(found.commit.empty() || found.commit.size() >= 40) << found.commit;
}

TEST(report_time, is_utc_to_the_second) {
  std::string const now = ballast::utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

TEST(report_source_state, is_unknown_without_a_commit_and_clean_unless_the_commit_says_otherwise) {
  EXPECT_EQ(ballast::parse_source(""), ballast::source_state{});
  EXPECT_EQ(ballast::parse_source("abc"), (ballast::source_state{"abc", true}));
  EXPECT_EQ(ballast::parse_source("abc-dirty"), (ballast::source_state{"abc", false}));
}

}  // namespace
