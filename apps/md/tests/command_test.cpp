// SPDX-License-Identifier: Apache-2.0
#include "md/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ballast/device.hpp"
#include "command_line.hpp"
#include "command_line/output_lock.hpp"
#include "complaint.hpp"
#include "folder_test.hpp"
#include "md/checkpoint.hpp"
#include "md/gaussian_system.hpp"
#include "md/lammps_file.hpp"
#include "md/trajectory.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using test::content_of;
using test::scratch_folder;
using testing::HasSubstr;

test::command_line const command("md", [](CLI::App& app, std::function<bool()>) { add_command(app); });

/// Its message when it refuses these arguments, or "" if it accepts them.
std::string refusal(std::string const& arguments) {
  return complaint([&] { command.printed("--devices host:1 " + arguments); });
}

/// Expects that it refuses each of the arguments with a sentence that contains the words next to them.
void expect_refusals(std::initializer_list<std::pair<std::string, std::string>> cases) {
  for (auto const& [arguments, words] : cases) EXPECT_THAT(refusal(arguments), HasSubstr(words)) << arguments;
}

nlohmann::json json_of(std::string const& arguments) {
  return nlohmann::json::parse(command.printed(arguments + " --devices host:1,host:1 --json"));
}

using md_command = test::folder_test;

TEST_F(md_command, prints_the_published_values_of_the_droplet) {
  auto const got = json_of("--system gaussian --atoms 4096 --cutoff 12 --precision double --steps 0");
  EXPECT_EQ(got["atoms"], 4096);
  EXPECT_EQ(got["pairs"], 108884);
  EXPECT_NEAR(got["energy_lj"], -66.6752652781, 1e-9);
  EXPECT_NEAR(got["energy_coulomb"], -25.2344260505, 1e-9);
  EXPECT_NEAR(got["force_square_sum"], 30.6558054844, 1e-9);
  EXPECT_EQ(got["devices"], (nlohmann::json{"host:1#0", "host:1#1"}));
}

TEST_F(md_command, prints_the_solutions_side_by_side) {
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

TEST_F(md_command, compares_the_task_queue_with_the_papers_own_by_name) {
  std::string const asked = "--atoms 2000 --steps 2 --solutions TQ,chen --queue-tasks 7 ";
  auto const got = json_of(asked);
  ASSERT_EQ(got["solutions"].size(), 2u);
  EXPECT_EQ(got["solutions"][1]["name"], "chen");
  EXPECT_EQ(got["solutions"][1]["pieces"], got["solutions"][0]["pieces"]);
  EXPECT_EQ(got["solutions"][1]["energy_potential"], got["solutions"][0]["energy_potential"]);
  EXPECT_EQ(got["identical"], true);
  EXPECT_THAT(command.printed(asked + "--devices host:1"),
              HasSubstr("TQ and chen give the same forces to the bit"));
}

TEST_F(md_command, runs_as_jobs_by_name) {
  auto const got = json_of("--atoms 2000 --steps 20 --temperature 300 --solutions S1,jobs ");
  ASSERT_EQ(got["solutions"].size(), 2u);
  EXPECT_EQ(got["solutions"][1]["name"], "jobs");
  EXPECT_EQ(got["solutions"][1]["energy_potential"], got["solutions"][0]["energy_potential"]);
  EXPECT_EQ(got["identical"], true);
  EXPECT_FALSE(got.contains("ranks"));
}

TEST_F(md_command, prints_a_table_for_people) {
  auto const text = command.printed("--atoms 500 --steps 4 --temperature 10 --devices host:1");
  for (auto const* word : {"500 atoms", "speed-up", "imbalance", "busy host:1", "S1", "S2", "S3", "TQ",
                           "E_kinetic", "TQ    atoms, ", "One device leaves nothing to balance. TQ took "}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
}

TEST_F(md_command, reads_the_files_it_is_given) {
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

TEST_F(md_command, goes_on_from_a_checkpoint_as_if_it_had_never_stopped) {
  std::string const common = " --solutions TQ --devices host:1,host:1 --json";
  std::string const physics =
      "--atoms 300 --cutoff 8 --potential force-shifted --temperature 200 --precision double ";
  command.printed(physics + "--steps 30 --checkpoint " + folder.file("half") + common);
  auto const half = content_of(folder.file("half"));
  command.printed("--restart " + folder.file("half") + " --steps 20 --checkpoint " + folder.file("end") +
                  common);
  command.printed(physics + "--steps 50 --checkpoint " + folder.file("unbroken") + common);
  EXPECT_EQ(content_of(folder.file("end")), content_of(folder.file("unbroken")));
  EXPECT_EQ(content_of(folder.file("half")), half);
  EXPECT_EQ(read_checkpoint(folder.file("end")).step, 50);
}

/// Two processes, as mpirun starts them, would mix their frames.
TEST_F(md_command, refuses_a_trajectory_that_another_process_adds_to) {
  auto const path = folder.file("t.xyz");
  command_line::output_lock const of_another("--trajectory", path);
  EXPECT_THAT(refusal("--atoms 10 --solutions S1 --trajectory " + path), HasSubstr(path));
  EXPECT_EQ(content_of(path), "");
}

TEST_F(md_command, adds_the_frames_of_a_restart_to_the_trajectory_that_is_there) {
  std::string const common =
      " --steps 4 --solutions TQ --trajectory " + folder.file("t.xyz") + " --checkpoint " + folder.file("c");
  std::string const on = " --devices host:1 --json";
  command.printed("--atoms 100 --temperature 10" + common + on);
  command.printed("--restart " + folder.file("c") + common + on);
  std::vector<std::int64_t> steps;
  for (auto const& one : read_frames(folder.file("t.xyz"))) steps.push_back(one.step.value_or(-1));
  EXPECT_EQ(steps, (std::vector<std::int64_t>{0, 4, 4, 8}));
}

TEST_F(md_command, adds_frames_to_an_empty_file) {
  auto const path = folder.file("t.xyz", "");
  command.printed("--atoms 10 --devices host:1 --json --trajectory " + path);
  EXPECT_EQ(read_frames(path).size(), 1u);
}

TEST_F(md_command, writes_a_trace_that_names_both_devices) {
  command.printed("--atoms 1000 --devices host:1,host:1 --json --trace " + folder.file("t.json"));
  auto const trace = nlohmann::json::parse(content_of(folder.file("t.json")));
  EXPECT_FALSE(trace["traceEvents"].empty());
  EXPECT_THAT(content_of(folder.file("t.json")), HasSubstr("host:1#1"));
}

/// The record of a run with these arguments.
nlohmann::json recorded(std::string const& arguments) {
  scratch_folder const folder;
  command.printed(arguments + " --devices host:1,host:1 --record " + folder.file("records"));
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder.file("records")))
    if (entry.is_regular_file()) files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u);
  std::ifstream file(files.at(0));
  return nlohmann::json::parse(file);
}

TEST_F(md_command, records_every_sample_of_every_solution) {
  auto const record = recorded("--atoms 1024 --repeat 3");
  EXPECT_EQ(record["schema"], "ballast-run/1");
  EXPECT_EQ(record["answer"]["verified"], true);
  EXPECT_EQ(record["series"].size(), 4u * 3u);  // time per step and two devices, for four solutions
  for (auto const& one : record["series"]) EXPECT_EQ(one["samples"].size(), 3u) << one["name"];
}

TEST_F(md_command, records_what_decided_how_much_a_device_was_given_at_once) {
  auto const costs = open_devices("host:1").front()->costs().name();
  auto const both = recorded("--atoms 300 --solutions TQ,chen --queue-tasks 7");
  EXPECT_EQ(both["policies"], (nlohmann::json{{"costs", costs}, {"feed", "rate"}}));
  EXPECT_EQ(both["parameters"]["chen.queue_tasks"], 7);
  auto const chen = recorded("--atoms 300 --solutions chen");
  EXPECT_EQ(chen["policies"], (nlohmann::json{{"costs", costs}}));
  EXPECT_EQ(chen["parameters"]["chen.queue_tasks"], 20);
  auto const jobs = recorded("--atoms 300 --solutions jobs --policy guided");
  EXPECT_EQ(jobs["policies"], (nlohmann::json{{"costs", costs}, {"split", "guided"}}));
  auto const neither = recorded("--atoms 300 --solutions S1,S3");
  EXPECT_EQ(neither["policies"], (nlohmann::json{{"costs", costs}}));
  EXPECT_FALSE(neither["parameters"].contains("chen.queue_tasks"));
}

// Requests that `ballast md` refuses, and its messages.

using md_command_refusals = test::folder_test;

TEST_F(md_command_refusals, of_every_wrong_flag_are_one_sentence) {
  expect_refusals({
      {"--atoms 0", "atoms is 0"},
      {"--atoms -5", "atoms is -5"},
      {"--atoms many", "--atoms"},
      {"--atoms 99999999999", "atoms is 99999999999; legal is a whole number from 1 to 1073741824"},
      {"--atoms 99999999999999999999", "--atoms is 99999999999999999999;"},
      {"--cutoff 0", "cutoff is 0"},
      {"--cutoff -1", "cutoff is -1"},
      {"--cutoff nan", "cutoff"},
      {"--cutoff inf", "cutoff"},
      {"--boundary periodic --atoms 64 --cutoff 1000", "half the shortest side"},
      {"--boundary round", "open or periodic"},
      {"--precision half", "single or double"},
      {"--potential none", "truncated or force-shifted"},
      {"--forces none", "cells or all-pairs"},
      {"--queue-tasks 257", "queue-tasks is 257"},
      {"--feed none", "policy is none; legal is rate, parts or fixed"},
      {"--feed parts --solutions S1", "--feed is parts; legal is rate without TQ"},
      {"--solutions S1,S5", "S1, S2, S3, TQ, chen or jobs"},
      {"--solutions S1,S1", "twice"},
      {"--cluster --solutions jobs,TQ", "--solutions is TQ; legal is jobs with --cluster"},
      {"--solutions jobs --policy none", "policy is none; legal is static"},
      {"--steps -1", "steps is -1"},
      {"--repeat 0", "repeat is 0"},
      {"--steps 1 --dt 0", "dt is 0"},
      {"--temperature -3", "temperature is -3"},
      {"--temperature 1e300", "temperature is 1e+300; legal is 0 to "},
      {"--skin -1", "skin is -1"},
      {"--sigma 0", "sigma is 0"},
      {"--frobnicate", "frobnicate"},
  });
  EXPECT_THAT(complaint([] { command.printed("--devices host:1,teapot"); }), HasSubstr("teapot"));
}

TEST_F(md_command_refusals, of_a_number_beyond_its_range_repeat_it_as_it_was_written) {
  expect_refusals({
      {"--seed -1", "--seed is -1; legal is a whole number from 0 to 18446744073709551615"},
      {"--seed 18446744073709551616", "--seed is 18446744073709551616;"},
      {"--steps 99999999999999999999", "--steps is 99999999999999999999;"},
      {"--repeat 1.5", "--repeat is 1.5;"},
      {"--chunk -1", "--chunk is -1;"},
      {"--task -1", "--task is -1;"},
      {"--checkpoint-every -1", "--checkpoint-every is -1;"},
      {"--trajectory-every -1", "--trajectory-every is -1;"},
  });
}

TEST_F(md_command_refusals, of_an_option_that_would_do_nothing_say_why) {
  expect_refusals({
      {"--checkpoint-every 5", "--checkpoint-every is 5; legal is 0 without --checkpoint"},
      {"--trajectory-every 5", "--trajectory-every is 5; legal is 0 without --trajectory"},
      {"--atoms 64 --system " + folder.file("one.xyz", "1\n\nHe 0 0 0\n"),
       "--atoms is 64; legal is nothing beside --system"},
      {"--solutions S1,TQ,chen --chunk 512", "--chunk is 512; legal is 0 without S3 among --solutions"},
      {"--solutions S1,S2,S3 --task 256", "--task is 256; legal is 0 without TQ or chen among --solutions"},
      {"--queue-tasks 40", "--queue-tasks is 40; legal is 20 without chen among --solutions"},
      {"--policy static", "--policy is static; legal is learned without jobs among --solutions"},
  });
  EXPECT_EQ(refusal("--atoms 300 --solutions S3 --chunk 128"), "");
  EXPECT_EQ(refusal("--atoms 300 --solutions chen --task 128 --queue-tasks 40"), "");
  EXPECT_EQ(refusal("--atoms 300 --solutions jobs --policy static"), "");
}

TEST_F(md_command_refusals, name_files_that_are_not_there_or_not_understood) {
  expect_refusals({
      {"--system " + folder.file("no.data"), "cannot be opened"},
      {"--system " + folder.file("a.pdb", ""), "an XYZ file"},
      {"--system " + folder.file("a.xyz", "5\n\nHe 0 0 0\n"), "a.xyz, line 3: the file ends"},
      {"--system " + folder.file("g.xyz", "2\n\nHe 0 0 0\nHe 0 0 3\nHe 0 0 6\n"),
       "g.xyz, line 5: more follows than the 2 atoms announced"},
      {"--system " + folder.file("b.xyz", "1\n\nAr 0 0 0\n"), "--epsilon and --sigma"},
      {"--system " + folder.file("c.xyz", "1\n\nHe 0 0 0\n") + " --boundary periodic", "without a box"},
      {"--system " + folder.file("d.xyz", "2\n\nHe 1 2 3\nHe 1 2 3\n"),
       "atoms 1 and 2 are at the same place"},
      {"--system " + folder.file("e.xyz", "2\n\nHe 1 2 3\nHe 1 2 3.0000000001\n"), "too near"},
      {"--restart " + folder.file("f", "nonsense"), "no checkpoint"},
  });
}

TEST_F(md_command_refusals, keep_a_restart_from_other_physics) {
  write_checkpoint(folder.file("c"),
                   {0, 2, 1, true, false, {}, gaussian_system(10), gaussian_system(10).position});
  for (auto const* flag : {"--atoms 5", "--cutoff 3", "--precision double", "--dt 1", "--temperature 4"})
    EXPECT_THAT(refusal("--restart " + folder.file("c") + " " + flag), HasSubstr("--restart"));
  EXPECT_EQ(refusal("--restart " + folder.file("c")), "");
}

TEST_F(md_command_refusals, overwrite_nothing) {
  auto const kept = folder.file("kept", "precious");
  auto const input = folder.file("in.xyz", "1\n\nHe 0 0 0\n");
  expect_refusals({
      {"--system " + input + " --trajectory " + input, "another file than " + input + ", which is read"},
      {"--cutoff 0 --checkpoint " + kept + " --trace " + kept + "2", "cutoff"},
      {"--checkpoint " + kept + " --trace " + kept, "another file than that of --checkpoint"},
      {"--checkpoint " + folder.file("new") + " --trajectory " + folder.file("./new"),
       "another file than that of --checkpoint"},
      {"--checkpoint " + folder.file("no/where"), "folder that exists"},
      {"--trace " + folder.file(""), "--trace"},
  });
  EXPECT_EQ(content_of(kept), "precious");
  EXPECT_EQ(content_of(input), "1\n\nHe 0 0 0\n");
  EXPECT_EQ(folder.files(), 2u);
}

TEST_F(md_command_refusals, overwrite_no_input_by_way_of_a_link) {
  std::string const helium = "1\n\nHe 0 0 0\n";
  auto const input = folder.file("in.xyz", helium);
  auto const link = folder.file("link"), hard = folder.file("hard.xyz");
  std::filesystem::create_symlink(input, link);
  std::filesystem::create_hard_link(input, hard);
  for (std::string const option : {"--checkpoint", "--trajectory", "--trace"}) {
    for (auto const& output : {link, hard})
      EXPECT_THAT(refusal("--system " + input + " " + option + " " + output),
                  HasSubstr(option + " is " + output + "; legal is another file than " + input));
  }
  EXPECT_EQ(content_of(input), helium);
}

TEST_F(md_command_refusals, let_a_checkpoint_alone_replace_the_one_that_is_gone_on_from) {
  auto const point = folder.file("c");
  write_checkpoint(point, {0, 2, 1, true, false, {}, gaussian_system(10), gaussian_system(10).position});
  auto const before = content_of(point);
  std::string const restart = "--solutions TQ --steps 1 --restart " + point;
  EXPECT_THAT(refusal(restart + " --trajectory " + point), HasSubstr("another file than " + point));
  EXPECT_THAT(refusal(restart + " --trace " + point), HasSubstr("another file than " + point));
  EXPECT_EQ(content_of(point), before);
  EXPECT_EQ(refusal(restart + " --checkpoint " + point), "");
  EXPECT_NE(content_of(point), before);
}

TEST_F(md_command_refusals, of_a_read_only_output_come_before_the_run) {
  auto const kept = folder.file("kept", "precious");
  std::filesystem::permissions(kept, std::filesystem::perms(0444));
  for (std::string const option : {"--checkpoint ", "--trace "}) {
    EXPECT_THAT(complaint([&] { command.printed("--atoms 10 --devices cuda:999 " + option + kept); }),
                HasSubstr("cannot write " + kept + ": the file that is there is read-only"));
  }
  EXPECT_EQ(content_of(kept), "precious");
}

/// Two atoms so near that their energy is not finite in single precision.
std::string too_near(scratch_folder const& folder) {
  return "--system " + folder.file("near.xyz", "2\n\nHe 1 2 3\nHe 1 2 3.000000001\n") + " --solutions TQ ";
}

TEST_F(md_command_refusals, of_sums_that_are_not_finite_overwrite_nothing) {
  auto const kept = folder.file("kept", "precious");
  for (std::string const steps : {"0", "5"})
    EXPECT_THAT(refusal(too_near(folder) + "--checkpoint " + kept + " --trajectory " + folder.file("t.xyz") +
                        " --trace " + folder.file("t.json") + " --steps " + steps),
                HasSubstr("too near"));
  EXPECT_EQ(content_of(kept), "precious");
  EXPECT_EQ(folder.files(), 2u);
}

TEST_F(md_command_refusals, of_a_trajectory_that_is_none_leave_it_as_it_is) {
  auto const notes = folder.file("notes.txt", "my notes\n");
  EXPECT_THAT(
      refusal("--atoms 10 --trajectory " + notes),
      HasSubstr("--trajectory is " + notes + "; legal is a new file or an XYZ trajectory of 10 atoms; "));
  EXPECT_EQ(content_of(notes), "my notes\n");
}

TEST_F(md_command_refusals, of_a_trajectory_of_other_atoms_leave_it_as_it_is) {
  std::string const frame = "2\n\nHe 0 0 0\nHe 0 0 3\n";
  auto const other = folder.file("other.xyz", frame + frame);
  EXPECT_THAT(refusal("--atoms 10 --trajectory " + other), HasSubstr("whose first frame has 2 atoms"));
  EXPECT_EQ(content_of(other), frame + frame);
}

TEST_F(md_command_refusals, of_a_trajectory_come_before_any_device_is_opened) {
  auto const notes = folder.file("notes.txt", "my notes\n");
  EXPECT_THAT(complaint([&] { command.printed("--atoms 10 --devices cuda:999 --trajectory " + notes); }),
              HasSubstr("--trajectory is"));
}

}  // namespace
}  // namespace ballast::md
