// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>

#include "command_run.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;

/// A folder for records, empty at first and removed at the end.
class results_folder {
 public:
  results_folder() : path_(tested_folder() / testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(path_);
  }
  ~results_folder() { fs::remove_all(path_); }
  results_folder(results_folder const&) = delete;
  results_folder& operator=(results_folder const&) = delete;

  std::string option() const { return " --results '" + path_.string() + "'"; }
  std::vector<fs::path> records() const {
    std::vector<fs::path> files;
    if (!fs::exists(path_)) return files;
    for (auto const& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }

 private:
  fs::path path_;
};

TEST(bench_command, lists_benchmarks_and_whether_they_run_on_the_devices) {
  auto const listed = run("bench list --devices host:1");
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_THAT(listed.out, testing::ContainsRegex("queue/round_trip +yes"));
  EXPECT_THAT(listed.out, testing::ContainsRegex("queue/preloaded +no"));
  EXPECT_THAT(listed.out, testing::HasSubstr("md/sizes"));
  EXPECT_THAT(listed.out, testing::ContainsRegex("launch/chains +yes"));
  EXPECT_THAT(listed.out, testing::ContainsRegex("launch/weak_scaling +no"));
}

TEST(bench_command, lists_the_paper_of_each_figure_that_a_benchmark_redoes) {
  EXPECT_THAT(run("bench list --devices host:1").out,
              testing::ContainsRegex("md/busy +no +Chen 2010, Fig. 10 +how long each device"));
  auto const listed = nlohmann::json::parse(run("bench list --json --devices host:1").out);
  EXPECT_EQ(listed.at("devices"), nlohmann::json::array({"host:1"}));
  std::set<std::string> named;
  for (auto const& one : listed.at("benchmarks")) {
    EXPECT_THAT(one.at("measures").get<std::string>(), testing::Not(testing::HasSubstr("Fig.")));
    EXPECT_EQ(one.at("here").get<bool>(), one.at("obstacle").is_null());
    named.insert(one.at("name"));
  }
  std::ifstream published(BALLAST_PUBLISHED);
  auto const document = nlohmann::json::parse(published);
  for (auto const& [benchmark, seconds] : document.at("seconds").items())
    EXPECT_TRUE(named.contains(benchmark)) << benchmark;
}

TEST(bench_command, files_a_verified_record_of_what_it_measured) {
  results_folder const results;
  auto const ran = run("bench queue/round_trip --quick --json --devices host:1" + results.option());
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(results.records().size(), 1u);
  auto const record = nlohmann::json::parse(contents(results.records().front()));
  EXPECT_EQ(nlohmann::json::parse(ran.out), nlohmann::json::array({record}));
  EXPECT_EQ(record["schema"], "ballast-run/1");
  EXPECT_EQ(record["benchmark"], "queue/round_trip");
  EXPECT_EQ(record["devices"], nlohmann::json::array({"host:1"}));
  EXPECT_TRUE(record["policies"].contains("costs"));
  EXPECT_TRUE(record["answer"]["verified"]);
  EXPECT_FALSE(record["series"].empty());
}

TEST(bench_command, races_the_ways_of_the_nanodroplet_on_one_device_and_on_all) {
  results_folder const results;
  auto const ran = run("bench launch/nanodroplet --quick --json --devices host:1,host:1" + results.option());
  ASSERT_EQ(ran.code, 0) << ran.err;
  auto const record = nlohmann::json::parse(contents(results.records().front()));
  EXPECT_TRUE(record["answer"]["verified"]);
  std::vector<std::string> names;
  for (auto const& series : record["series"]) names.push_back(series["name"]);
  for (std::string const way : {"streams", "batched", "queue", "queue --merge none"})
    EXPECT_THAT(names, testing::IsSupersetOf({way + "@4", way + "@8", way + ", 2 devices@8"}));
}

TEST(bench_command, runs_once_for_each_number_of_connections_and_files_the_records_apart) {
  results_folder const results;
  auto const ran =
      run("bench launch/submit_cost --quick --devices host:1 --connections 1,32" + results.option());
  ASSERT_EQ(ran.code, 0) << ran.err;
  auto files = results.records();
  std::ranges::sort(files);
  ASSERT_EQ(files.size(), 2u);
  std::vector<std::string> const parts = {"launch-submit_cost-1-connections-",
                                          "launch-submit_cost-32-connections-"};
  std::vector<int> const counts = {1, 32};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(files[i].filename().string(), testing::StartsWith(parts[i]));
    EXPECT_EQ(nlohmann::json::parse(contents(files[i]))["parameters"]["hardware_connections"], counts[i]);
  }
}

TEST(bench_command, records_beside_a_curve_what_the_queue_did_for_it) {
  results_folder const results;
  auto const ran = run("bench launch/submit_cost --quick --devices host:1" + results.option());
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(results.records().size(), 1u);
  auto const derived = nlohmann::json::parse(contents(results.records().front()))["derived"];
  // 1 and 4 threads with 16 launches each; one warm-up, three repetitions.
  EXPECT_EQ(derived["ballast kernel, queue@1.kernels"], 16 * 4);
  EXPECT_EQ(derived["ballast kernel, paused queue@4.kernels"], 4 * 16 * 4);
  EXPECT_FALSE(derived.contains("ballast kernel, queue@1.resident_starts")) << "none was started";
}

TEST(bench_command, feeds_chains_live_by_each_way_beside_what_the_threads_cost_alone) {
  results_folder const results;
  auto const ran = run("bench launch/live --quick --devices host:1" + results.option());
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(results.records().size(), 1u);
  auto const record = nlohmann::json::parse(contents(results.records().front()));
  EXPECT_TRUE(record["answer"]["verified"]);
  std::vector<std::string> names;
  for (auto const& series : record["series"]) names.push_back(series["name"]);
  for (std::string const length : {"5 us", "50 us"})
    for (std::string const start : {", awake, ", ", asleep, "})
      for (std::string const way : {"harness alone", "default", "adaptive", "passthrough and merging"})
        EXPECT_THAT(names, testing::IsSupersetOf({length + start + way + "@1", length + start + way + "@8"}));
  // 8 chains of 4 kernels; two warm-ups, two repetitions.
  EXPECT_EQ(record["derived"]["5 us, awake, default@8.kernels"], 8 * 4 * 4);
}

TEST(bench_command, says_which_numbers_of_connections_failed) {
  auto const ran = run("bench queue/nothing --connections 1,8 --devices host:1");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, testing::HasSubstr("NAME is queue/nothing"));
  EXPECT_THAT(ran.err, testing::EndsWith("the runs with these numbers of connections failed: 1 8\n"));
}

TEST(bench_command, says_why_a_benchmark_does_not_run_on_the_devices) {
  results_folder const results;
  auto const ran = run("bench queue/preloaded --devices host:1" + results.option());
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err,
              testing::HasSubstr("queue/preloaded does not run here: it measures what only a GPU has"));
  EXPECT_TRUE(results.records().empty());
}

TEST(bench_command, measures_nothing_if_its_record_could_not_be_written) {
  auto const ran = run("bench queue/round_trip --quick --devices host:1 --results /dev/null/none");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err,
              testing::StartsWith("queue/round_trip\nballast: cannot make the folder /dev/null/none/"));
}

TEST(bench_command, refuses_a_name_and_a_device_that_do_not_exist) {
  expect_refusal("bench queue/nothing --devices host:1", "NAME is queue/nothing; legal is list, all, ");
  expect_refusal("bench queue/round_trip --devices ''", "devices");
  expect_refusal("bench", "NAME");
  expect_refusal("bench queue/round_trip --connections 33", "--connections");
}

TEST(bench_command, refuses_beside_list_what_only_runs_look_at_and_results_without_a_name) {
  expect_refusal("bench list --quick", "--quick is true; legal is nothing beside list");
  expect_refusal("bench list --results r", "--results is r; legal is nothing beside list");
  expect_refusal("bench queue/throughput --results ''", "--results is \"\"; legal is the name of a FOLDER");
}

}  // namespace
}  // namespace ballast::cli
