// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "ballast/error.hpp"
#include "report/run_record.hpp"
#include "scratch_folder.hpp"

namespace {

namespace fs = std::filesystem;
using ballast::read_run_record;
using ballast::run_record;
using ballast::test::scratch_folder;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

run_record example() {
  run_record record;
  record.benchmark = "queue/throughput";
  record.version = "0.1.0";
  record.started = "2026-01-31T09:05:00Z";
  record.command = {"ballast", "bench"};
  record.source = {"abc", false};
  record.machine = ballast::this_machine({{"NVIDIA H200", 132, 150754820096, "9.0"}}, "13.0");
  record.devices = {"cuda:0"};
  record.policies = {{"feed", "rate"}};
  record.parameters = {
      {"tasks", 4096}, {"physics", ballast::json_value::object{{"cutoff", 0.1}}}, {"shift", -3}};
  record.warm_up = 1;
  record.repetitions = 3;
  record.series = {{"batches@64", "tasks/s", {0.3, 0.1, 0.2}, "batches", 64.0}, {"idle", "s", {1.0 / 3}}};
  record.axes = {"Throughput", "tasks", "tasks/s", true, false};
  record.derived = {{"gain", 1.25}, {"note", ballast::json_value()}};
  record.answer = {true, "every block ran once"};
  return record;
}

std::string complaint_about(std::string const& text) {
  scratch_folder const folder;
  auto const file = folder.file("record.json", text);
  try {
    read_run_record(file);
  } catch (ballast::bad_argument const& problem) {
    return "a bad argument, which a file is not";
  } catch (ballast::error const& problem) {
    EXPECT_THAT(problem.what(), StartsWith(file));
    return problem.what();
  }
  return "none";
}

/// The complaint about the example after a change to its JSON.
std::string complaint_after(std::function<void(json&)> const& change) {
  json document = json::parse(to_json(example()).text());
  change(document);
  return complaint_about(document.dump());
}

TEST(report_read_run_record, gives_back_all_that_was_written) {
  std::string const written = to_json(example()).text(2);
  scratch_folder const folder;
  auto const file = folder.file("record.json", written);
  EXPECT_EQ(to_json(read_run_record(file)).text(2), written);
}

TEST(report_read_run_record, takes_what_old_records_lack_for_empty_and_null) {
  json document = json::parse(to_json(example()).text());
  document.erase("axes");
  document["series"][0].erase("curve");
  document["series"][0].erase("x");
  document["of_the_future"] = 1;
  scratch_folder const folder;
  auto const file = folder.file("record.json", document.dump());
  run_record const record = read_run_record(file);
  EXPECT_EQ(record.axes, ballast::plot_axes{});
  EXPECT_EQ(record.series[0].curve, "");
  EXPECT_EQ(record.series[0].x, std::nullopt);
}

TEST(report_read_run_record, reads_the_null_of_what_is_not_known) {
  json document = json::parse(to_json(example()).text());
  document["source"] = {{"commit", nullptr}, {"clean", nullptr}};
  document["machine"]["driver"] = nullptr;
  scratch_folder const folder;
  auto const file = folder.file("record.json", document.dump());
  run_record const record = read_run_record(file);
  EXPECT_EQ(record.source, ballast::source_state{});
  EXPECT_EQ(record.machine.driver, "");
}

TEST(report_read_run_record, names_the_file_that_cannot_be_read_or_is_no_json) {
  EXPECT_THAT(complaint_about("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint_about(""), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint_about("{\"x\": 1e999}"), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint_about("[]"), HasSubstr("an object is needed, a list is there"));
  scratch_folder const folder;
  for (auto const& path : {folder.file("missing/record.json"), folder.path().string()}) {
    EXPECT_THAT([&] { ballast::read_run_record(path); },
                testing::ThrowsMessage<ballast::error>(StartsWith("cannot read " + path)));
  }
}

TEST(report_read_run_record, refuses_what_is_nested_so_deeply_that_it_would_end_the_stack) {
  auto text = to_json(example()).text();
  text.replace(text.find("4096"), 4, std::string(50000, '[') + std::string(50000, ']'));
  EXPECT_THAT(complaint_about(text), HasSubstr("record.json is nested too deeply: more than 64 levels"));
}

TEST(report_read_run_record, refuses_values_of_which_quotients_would_not_be_finite) {
  for (double const value : {1e308, -1.7e308, 1e151, 1e-151, -5e-324})
    EXPECT_THAT(complaint_after([&](json& all) {
                  all["series"][1]["samples"] = {1, value};
                }),
                HasSubstr("run_record.series idle is "))
        << value;
  EXPECT_THAT(complaint_after([](json& all) { all["series"][0]["x"] = 1e200; }), HasSubstr(".x is 1e+200"));
  EXPECT_EQ(complaint_after([](json& all) { all["series"][1]["samples"] = {0, 1e150, -1e-150}; }), "none");
}

TEST(report_read_run_record, refuses_another_schema) {
  EXPECT_THAT(complaint_after([](json& all) { all["schema"] = "ballast-run/2"; }),
              HasSubstr("schema: \"ballast-run/1\" is needed, the string \"ballast-run/2\" is there"));
  EXPECT_THAT(complaint_after([](json& all) { all.erase("schema"); }),
              HasSubstr("the member schema is missing"));
}

TEST(report_read_run_record, names_the_member_that_is_missing) {
  EXPECT_THAT(complaint_after([](json& all) { all.erase("answer"); }),
              HasSubstr(": the member answer is missing"));
  EXPECT_THAT(complaint_after([](json& all) { all["series"][1].erase("unit"); }),
              HasSubstr(": series[1]: the member unit is missing"));
  EXPECT_THAT(complaint_after([](json& all) { all["machine"]["gpus"][0].erase("model"); }),
              HasSubstr(": machine.gpus[0]: the member model is missing"));
}

TEST(report_read_run_record, names_the_member_that_is_of_another_type) {
  EXPECT_THAT(complaint_after([](json& all) { all["series"][0]["samples"][2] = "fast"; }),
              HasSubstr(": series[0].samples[2]: a number is needed, the string \"fast\" is there"));
  EXPECT_THAT(complaint_after([](json& all) { all["series"] = 5; }),
              HasSubstr(": series: a list is needed, the number 5 is there"));
  EXPECT_THAT(complaint_after([](json& all) { all["answer"]["verified"] = nullptr; }),
              HasSubstr(": answer.verified: a boolean is needed, null is there"));
  EXPECT_THAT(complaint_after([](json& all) { all["repetitions"] = -1; }),
              HasSubstr(": repetitions: a whole number from 0 on is needed, the number -1 is there"));
  EXPECT_THAT(complaint_after([](json& all) { all["machine"]["gpus"][0]["multiprocessors"] = 5000000000; }),
              HasSubstr("multiprocessors: a whole number"));
  EXPECT_THAT(complaint_after([](json& all) { all["axes"]["x_log"] = "yes"; }),
              HasSubstr(": axes.x_log: a boolean"));
  EXPECT_THAT(complaint_after([](json& all) { all["parameters"] = json::array(); }),
              HasSubstr(": parameters: an object"));
}

TEST(report_read_run_record, refuses_what_may_not_be_written_either) {
  EXPECT_THAT(complaint_after([](json& all) { all["series"][1]["samples"] = json::array(); }),
              HasSubstr("one sample or more"));
  EXPECT_THAT(complaint_after([](json& all) { all["series"][1]["name"] = "batches@64"; }),
              HasSubstr("a name used once"));
  EXPECT_THAT(complaint_after([](json& all) { all["series"][0]["x"] = nullptr; }), HasSubstr(".x is none"));
}

}  // namespace
