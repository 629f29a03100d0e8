// SPDX-License-Identifier: Apache-2.0
#include "md/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "command_line.hpp"
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

/// What it says when it refuses these arguments, or "" if it does not.
std::string refusal(std::string const& arguments) {
  return complaint([&] { command.printed("--devices host:1 " + arguments); });
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

/// The record that a run with these arguments writes.
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
  EXPECT_EQ(record["series"].size(), 4u * 3u);  // time per step and two devices, of four solutions
  for (auto const& one : record["series"]) EXPECT_EQ(one["samples"].size(), 3u) << one["name"];
}

TEST_F(md_command, records_what_decided_how_much_a_device_was_given_at_once) {
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

// What `ballast md` does not do, and what it says instead.

using md_command_refusals = test::folder_test;

TEST_F(md_command_refusals, of_every_wrong_flag_are_one_sentence) {
  EXPECT_THAT(refusal("--atoms 0"), HasSubstr("atoms is 0"));
  EXPECT_THAT(refusal("--atoms -5"), HasSubstr("atoms is -5"));
  EXPECT_THAT(refusal("--atoms many"), HasSubstr("--atoms"));
  EXPECT_THAT(refusal("--atoms 99999999999"),
              HasSubstr("atoms is 99999999999; legal is a whole number from 1 to 1073741824"));
  EXPECT_THAT(refusal("--atoms 99999999999999999999"), HasSubstr("--atoms is 99999999999999999999;"));
  EXPECT_THAT(refusal("--cutoff 0"), HasSubstr("cutoff is 0"));
  EXPECT_THAT(refusal("--cutoff -1"), HasSubstr("cutoff is -1"));
  EXPECT_THAT(refusal("--cutoff nan"), HasSubstr("cutoff"));
  EXPECT_THAT(refusal("--cutoff inf"), HasSubstr("cutoff"));
  EXPECT_THAT(refusal("--boundary periodic --atoms 64 --cutoff 1000"), HasSubstr("half the shortest side"));
  EXPECT_THAT(refusal("--boundary round"), HasSubstr("open or periodic"));
  EXPECT_THAT(refusal("--precision half"), HasSubstr("single or double"));
  EXPECT_THAT(refusal("--potential none"), HasSubstr("truncated or force-shifted"));
  EXPECT_THAT(refusal("--forces none"), HasSubstr("cells or all-pairs"));
  EXPECT_THAT(refusal("--queue-tasks 257"), HasSubstr("queue-tasks is 257"));
  EXPECT_THAT(refusal("--feed none"), HasSubstr("policy is none; legal is drain, parts or fixed"));
  EXPECT_THAT(refusal("--feed parts --solutions S1"),
              HasSubstr("--feed is parts; legal is drain without TQ"));
  EXPECT_THAT(refusal("--solutions S1,S5"), HasSubstr("S1, S2, S3, TQ or chen"));
  EXPECT_THAT(refusal("--solutions S1,S1"), HasSubstr("twice"));
  EXPECT_THAT(refusal("--steps -1"), HasSubstr("steps is -1"));
  EXPECT_THAT(refusal("--repeat 0"), HasSubstr("repeat is 0"));
  EXPECT_THAT(refusal("--steps 1 --dt 0"), HasSubstr("dt is 0"));
  EXPECT_THAT(refusal("--temperature -3"), HasSubstr("temperature is -3"));
  EXPECT_THAT(refusal("--temperature 1e300"), HasSubstr("temperature is 1e+300; legal is 0 to "));
  EXPECT_THAT(refusal("--skin -1"), HasSubstr("skin is -1"));
  EXPECT_THAT(refusal("--sigma 0"), HasSubstr("sigma is 0"));
  EXPECT_THAT(refusal("--frobnicate"), HasSubstr("frobnicate"));
  EXPECT_THAT(complaint([] { command.printed("--devices host:1,teapot"); }), HasSubstr("teapot"));
}

TEST_F(md_command_refusals, of_a_number_beyond_its_range_repeat_it_as_it_was_written) {
  EXPECT_THAT(refusal("--seed -1"),
              HasSubstr("--seed is -1; legal is a whole number from 0 to 18446744073709551615"));
  EXPECT_THAT(refusal("--seed 18446744073709551616"), HasSubstr("--seed is 18446744073709551616;"));
  EXPECT_THAT(refusal("--steps 99999999999999999999"), HasSubstr("--steps is 99999999999999999999;"));
  EXPECT_THAT(refusal("--repeat 1.5"), HasSubstr("--repeat is 1.5;"));
  EXPECT_THAT(refusal("--chunk -1"), HasSubstr("--chunk is -1;"));
  EXPECT_THAT(refusal("--task -1"), HasSubstr("--task is -1;"));
  EXPECT_THAT(refusal("--checkpoint-every -1"), HasSubstr("--checkpoint-every is -1;"));
  EXPECT_THAT(refusal("--trajectory-every -1"), HasSubstr("--trajectory-every is -1;"));
}

TEST_F(md_command_refusals, of_an_option_that_would_do_nothing_say_why) {
  EXPECT_THAT(refusal("--checkpoint-every 5"),
              HasSubstr("--checkpoint-every is 5; legal is 0 without --checkpoint"));
  EXPECT_THAT(refusal("--trajectory-every 5"),
              HasSubstr("--trajectory-every is 5; legal is 0 without --trajectory"));
  EXPECT_THAT(refusal("--atoms 64 --system " + folder.file("one.xyz", "1\n\nHe 0 0 0\n")),
              HasSubstr("--atoms is 64; legal is nothing beside --system"));
  EXPECT_THAT(refusal("--solutions S1,TQ,chen --chunk 512"),
              HasSubstr("--chunk is 512; legal is 0 without S3 among --solutions"));
  EXPECT_THAT(refusal("--solutions S1,S2,S3 --task 256"),
              HasSubstr("--task is 256; legal is 0 without TQ or chen among --solutions"));
  EXPECT_THAT(refusal("--queue-tasks 40"),
              HasSubstr("--queue-tasks is 40; legal is 20 without chen among --solutions"));
  EXPECT_EQ(refusal("--atoms 300 --solutions S3 --chunk 128"), "");
  EXPECT_EQ(refusal("--atoms 300 --solutions chen --task 128 --queue-tasks 40"), "");
}

TEST_F(md_command_refusals, name_files_that_are_not_there_or_not_understood) {
  EXPECT_THAT(refusal("--system " + folder.file("no.data")), HasSubstr("cannot be opened"));
  EXPECT_THAT(refusal("--system " + folder.file("a.pdb", "")), HasSubstr("an XYZ file"));
  EXPECT_THAT(refusal("--system " + folder.file("a.xyz", "5\n\nHe 0 0 0\n")),
              HasSubstr("a.xyz, line 3: the file ends"));
  EXPECT_THAT(refusal("--system " + folder.file("g.xyz", "2\n\nHe 0 0 0\nHe 0 0 3\nHe 0 0 6\n")),
              HasSubstr("g.xyz, line 5: more follows than the 2 atoms announced"));
  EXPECT_THAT(refusal("--system " + folder.file("b.xyz", "1\n\nAr 0 0 0\n")),
              HasSubstr("--epsilon and --sigma"));
  EXPECT_THAT(refusal("--system " + folder.file("c.xyz", "1\n\nHe 0 0 0\n") + " --boundary periodic"),
              HasSubstr("without a box"));
  EXPECT_THAT(refusal("--system " + folder.file("d.xyz", "2\n\nHe 1 2 3\nHe 1 2 3\n")),
              HasSubstr("atoms 1 and 2 are at the same place"));
  EXPECT_THAT(refusal("--system " + folder.file("e.xyz", "2\n\nHe 1 2 3\nHe 1 2 3.0000000001\n")),
              HasSubstr("too near"));
  EXPECT_THAT(refusal("--restart " + folder.file("f", "nonsense")), HasSubstr("no checkpoint"));
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
  EXPECT_THAT(refusal("--system " + input + " --trajectory " + input),
              HasSubstr("another file than " + input + ", which is read"));
  EXPECT_THAT(refusal("--cutoff 0 --checkpoint " + kept + " --trace " + kept + "2"), HasSubstr("cutoff"));
  EXPECT_THAT(refusal("--checkpoint " + kept + " --trace " + kept),
              HasSubstr("another file than that of --checkpoint"));
  EXPECT_THAT(refusal("--checkpoint " + folder.file("new") + " --trajectory " + folder.file("./new")),
              HasSubstr("another file than that of --checkpoint"));
  EXPECT_THAT(refusal("--checkpoint " + folder.file("no/where")), HasSubstr("folder that exists"));
  EXPECT_THAT(refusal("--trace " + folder.file("")), HasSubstr("--trace"));
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
