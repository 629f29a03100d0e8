// SPDX-License-Identifier: Apache-2.0
#include "md/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
#include "md/checkpoint.hpp"
#include "md/gaussian_system.hpp"
#include "md/lammps_file.hpp"
#include "md/trajectory.hpp"
#include "scratch_folder.hpp"

namespace ballast::md {
namespace {

using test::content_of;
using test::scratch_folder;
using testing::HasSubstr;

nlohmann::json json_of(std::string const& arguments) {
  return nlohmann::json::parse(printed(arguments + " --devices host:1,host:1 --json"));
}

TEST(md_command, prints_the_published_values_of_the_droplet) {
  auto const got = json_of("--system gaussian --atoms 4096 --cutoff 12 --precision double --steps 0");
  EXPECT_EQ(got["atoms"], 4096);
  EXPECT_EQ(got["pairs"], 108884);
  EXPECT_NEAR(got["energy_lj"], -66.6752652781, 1e-9);
  EXPECT_NEAR(got["energy_coulomb"], -25.2344260505, 1e-9);
  EXPECT_NEAR(got["force_square_sum"], 30.6558054844, 1e-9);
  EXPECT_EQ(got["devices"], (nlohmann::json{"host:1#0", "host:1#1"}));
}

TEST(md_command, prints_the_solutions_side_by_side) {
  auto const got = json_of("--atoms 1024 --repeat 3");
  ASSERT_EQ(got["solutions"].size(), 4u);
  std::vector<std::string> names;
  for (auto const& one : got["solutions"]) {
    names.push_back(one["name"]);
    EXPECT_GT(one["seconds_per_step"].get<double>(), 0);
    EXPECT_EQ(one["busy_seconds"].size(), 2u);
    EXPECT_GE(one["imbalance"].get<double>(), 1);
    double const s1 = got["solutions"][0]["seconds_per_step"];
    EXPECT_DOUBLE_EQ(one["speedup"].get<double>(), s1 / one["seconds_per_step"].get<double>());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"S1", "S2", "S3", "TQ"}));
}

TEST(md_command, compares_the_task_queue_with_the_papers_own_by_name) {
  std::string const asked = "--atoms 2000 --steps 2 --solutions TQ,chen --queue-tasks 7 ";
  auto const got = json_of(asked);
  ASSERT_EQ(got["solutions"].size(), 2u);
  EXPECT_EQ(got["solutions"][1]["name"], "chen");
  EXPECT_EQ(got["solutions"][1]["pieces"], got["solutions"][0]["pieces"]);
  EXPECT_EQ(got["solutions"][1]["energy_potential"], got["solutions"][0]["energy_potential"]);
  EXPECT_EQ(got["identical"], true);
  EXPECT_THAT(printed(asked + "--devices host:1"), HasSubstr("TQ and chen give the same forces to the bit"));
}

TEST(md_command, prints_a_table_for_people) {
  auto const text = printed("--atoms 500 --steps 4 --temperature 10 --devices host:1");
  for (auto const* word : {"500 atoms", "speed-up", "imbalance", "busy host:1", "S1", "S2", "S3", "TQ",
                           "E_kinetic", "TQ    atoms, ", "One device leaves nothing to balance. TQ took "}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
}

TEST(md_command, reads_the_files_it_is_given) {
  scratch_folder folder;
  auto const all = gaussian_system(1024);
  write_lammps_data(folder.file("g.data"), all);
  append_frame(folder.file("g.xyz"), all, 0, 0, boundary::open);
  for (auto const* name : {"g.data", "g.xyz"}) {
    auto const got = json_of("--system " + folder.file(name) + " --precision double --solutions TQ");
    EXPECT_EQ(got["pairs"], 23514) << name;
    EXPECT_NEAR(got["energy_lj"], -15.3576916537, 1e-9) << name;
    EXPECT_TRUE(got["solutions"][0]["speedup"].is_null());
  }
}

TEST(md_command, goes_on_from_a_checkpoint_as_if_it_had_never_stopped) {
  scratch_folder folder;
  std::string const common = " --solutions TQ --devices host:1,host:1 --json";
  std::string const physics =
      "--atoms 300 --cutoff 8 --potential force-shifted --temperature 200 --precision double ";
  printed(physics + "--steps 30 --checkpoint " + folder.file("half") + common);
  auto const half = content_of(folder.file("half"));
  printed("--restart " + folder.file("half") + " --steps 20 --checkpoint " + folder.file("end") + common);
  printed(physics + "--steps 50 --checkpoint " + folder.file("unbroken") + common);
  EXPECT_EQ(content_of(folder.file("end")), content_of(folder.file("unbroken")));
  EXPECT_EQ(content_of(folder.file("half")), half);
  EXPECT_EQ(read_checkpoint(folder.file("end")).step, 50);
}

TEST(md_command, adds_the_frames_of_a_restart_to_the_trajectory_that_is_there) {
  scratch_folder folder;
  std::string const common =
      " --steps 4 --solutions TQ --trajectory " + folder.file("t.xyz") + " --checkpoint " + folder.file("c");
  std::string const on = " --devices host:1 --json";
  printed("--atoms 100 --temperature 10" + common + on);
  printed("--restart " + folder.file("c") + common + on);
  std::vector<std::int64_t> steps;
  for (auto const& one : read_frames(folder.file("t.xyz"))) steps.push_back(one.step.value_or(-1));
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 4, 4, 8}));
}

TEST(md_command, adds_frames_to_an_empty_file) {
  scratch_folder folder;
  auto const path = folder.file("t.xyz", "");
  printed("--atoms 10 --devices host:1 --json --trajectory " + path);
  EXPECT_EQ(read_frames(path).size(), 1u);
}

TEST(md_command, writes_a_trace_that_names_both_devices) {
  scratch_folder folder;
  printed("--atoms 1000 --devices host:1,host:1 --json --trace " + folder.file("t.json"));
  auto const trace = nlohmann::json::parse(content_of(folder.file("t.json")));
  EXPECT_FALSE(trace["traceEvents"].empty());
  EXPECT_THAT(content_of(folder.file("t.json")), HasSubstr("host:1#1"));
}

/// The record that a run with these arguments writes.
nlohmann::json recorded(std::string const& arguments) {
  scratch_folder const folder;
  printed(arguments + " --devices host:1,host:1 --record " + folder.file("records"));
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder.file("records")))
    if (entry.is_regular_file()) files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u);
  std::ifstream file(files.at(0));
  return nlohmann::json::parse(file);
}

TEST(md_command, records_every_sample_of_every_solution) {
  auto const record = recorded("--atoms 1024 --repeat 3");
  EXPECT_EQ(record["schema"], "ballast-run/1");
  EXPECT_EQ(record["answer"]["verified"], true);
  EXPECT_EQ(record["series"].size(), 4u * 3u);  // time per step and two devices, of four solutions
  for (auto const& one : record["series"]) EXPECT_EQ(one["samples"].size(), 3u) << one["name"];
}

TEST(md_command, records_what_decided_how_much_a_device_was_given_at_once) {
  auto const both = recorded("--atoms 300 --solutions TQ,chen --queue-tasks 7");
  EXPECT_EQ(both["policies"], (nlohmann::json{{"feed", "drain"}}));
  EXPECT_EQ(both["parameters"]["chen.queue_tasks"], 7);
  auto const chen = recorded("--atoms 300 --solutions chen");
  EXPECT_TRUE(chen["policies"].empty());
  EXPECT_EQ(chen["parameters"]["chen.queue_tasks"], 20);
  auto const neither = recorded("--atoms 300 --solutions S1,S3");
  EXPECT_TRUE(neither["policies"].empty());
  EXPECT_FALSE(neither["parameters"].contains("chen.queue_tasks"));
}

}  // namespace
}  // namespace ballast::md
