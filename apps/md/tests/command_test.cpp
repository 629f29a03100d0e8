// SPDX-License-Identifier: Apache-2.0
#include "md/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ballast/base/error.hpp"
#include "md/checkpoint.hpp"
#include "md/gaussian_system.hpp"
#include "md/lammps_file.hpp"
#include "md/run_request.hpp"
#include "md/trajectory.hpp"
#include "scratch_folder.hpp"
#include "systems.hpp"

namespace ballast::md {
namespace {

using testing::HasSubstr;

/// Runs `ballast md` with these arguments in this process; returns what it printed.
std::string printed(std::string const& arguments) {
  CLI::App app("ballast", "ballast");
  app.require_subcommand(1);
  add_command(app);
  testing::internal::CaptureStdout();
  try {
    app.parse("md " + arguments);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  return testing::internal::GetCapturedStdout();
}

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

TEST(md_command, prints_a_table_for_people) {
  auto const text = printed("--atoms 500 --steps 4 --temperature 10 --devices host:1");
  for (auto const* word :
       {"500 atoms", "speed-up", "imbalance", "busy host:1", "S1", "S2", "S3", "TQ", "E_kinetic"}) {
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

TEST(md_command, writes_a_trace_that_names_both_devices) {
  scratch_folder folder;
  printed("--atoms 1000 --devices host:1,host:1 --json --trace " + folder.file("t.json"));
  auto const trace = nlohmann::json::parse(content_of(folder.file("t.json")));
  EXPECT_FALSE(trace["traceEvents"].empty());
  EXPECT_THAT(content_of(folder.file("t.json")), HasSubstr("host:1#1"));
}

std::string refusal(std::string const& arguments) {
  return complaint([&] { printed("--devices host:1 " + arguments); });
}

TEST(md_command, records_every_sample_of_every_solution) {
  scratch_folder const folder;
  printed("--atoms 1024 --repeat 3 --devices host:1,host:1 --record " + folder.file("records"));
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder.file("records")))
    if (entry.is_regular_file()) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  std::ifstream file(files.front());
  auto const record = nlohmann::json::parse(file);
  EXPECT_EQ(record["schema"], "ballast-run/1");
  EXPECT_EQ(record["answer"]["verified"], true);
  EXPECT_EQ(record["series"].size(), 4u * 3u);  // time per step and two devices, of four solutions
  for (auto const& one : record["series"]) EXPECT_EQ(one["samples"].size(), 3u) << one["name"];
}

TEST(md_command, refuses_every_wrong_flag_in_one_sentence) {
  EXPECT_THAT(refusal("--atoms 0"), HasSubstr("atoms is 0"));
  EXPECT_THAT(refusal("--atoms -5"), HasSubstr("atoms is -5"));
  EXPECT_THAT(refusal("--atoms many"), HasSubstr("--atoms"));
  EXPECT_THAT(refusal("--atoms 99999999999"), HasSubstr("1 .. 1073741824"));
  EXPECT_THAT(refusal("--cutoff 0"), HasSubstr("cutoff is 0"));
  EXPECT_THAT(refusal("--cutoff -1"), HasSubstr("cutoff is -1"));
  EXPECT_THAT(refusal("--cutoff nan"), HasSubstr("cutoff"));
  EXPECT_THAT(refusal("--cutoff inf"), HasSubstr("cutoff"));
  EXPECT_THAT(refusal("--boundary periodic --atoms 64 --cutoff 1000"), HasSubstr("half the shortest side"));
  EXPECT_THAT(refusal("--boundary round"), HasSubstr("open or periodic"));
  EXPECT_THAT(refusal("--precision half"), HasSubstr("single or double"));
  EXPECT_THAT(refusal("--potential none"), HasSubstr("truncated or force-shifted"));
  EXPECT_THAT(refusal("--forces none"), HasSubstr("cells or all-pairs"));
  EXPECT_THAT(refusal("--solutions S1,S5"), HasSubstr("S1, S2, S3 or TQ"));
  EXPECT_THAT(refusal("--solutions S1,S1"), HasSubstr("twice"));
  EXPECT_THAT(refusal("--steps -1"), HasSubstr("steps is -1"));
  EXPECT_THAT(refusal("--repeat 0"), HasSubstr("repeat is 0"));
  EXPECT_THAT(refusal("--steps 1 --dt 0"), HasSubstr("dt is 0"));
  EXPECT_THAT(refusal("--temperature -3"), HasSubstr("temperature is -3"));
  EXPECT_THAT(refusal("--skin -1"), HasSubstr("skin is -1"));
  EXPECT_THAT(refusal("--sigma 0"), HasSubstr("sigma is 0"));
  EXPECT_THAT(refusal("--frobnicate"), HasSubstr("frobnicate"));
  EXPECT_THAT(complaint([] { printed("--devices host:1,teapot"); }), HasSubstr("teapot"));
}

TEST(md_command, refuses_files_that_are_not_there_or_not_understood) {
  scratch_folder folder;
  EXPECT_THAT(refusal("--system " + folder.file("no.data")), HasSubstr("cannot be opened"));
  EXPECT_THAT(refusal("--system " + folder.file("a.pdb", "")), HasSubstr("an XYZ file"));
  EXPECT_THAT(refusal("--system " + folder.file("a.xyz", "5\n\nHe 0 0 0\n")),
              HasSubstr("a.xyz, line 3: the file ends"));
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

TEST(md_command, refuses_to_mix_a_restart_with_other_physics) {
  scratch_folder folder;
  write_checkpoint(folder.file("c"),
                   {0, 2, 1, true, false, {}, gaussian_system(10), gaussian_system(10).position});
  for (auto const* flag : {"--atoms 5", "--cutoff 3", "--precision double", "--dt 1", "--temperature 4"}) {
    EXPECT_THAT(refusal("--restart " + folder.file("c") + " " + flag), HasSubstr("--restart"));
  }
  EXPECT_EQ(refusal("--restart " + folder.file("c")), "");
}

TEST(md_command, overwrites_nothing_when_it_refuses) {
  scratch_folder folder;
  auto const kept = folder.file("kept", "precious");
  auto const input = folder.file("in.xyz", "1\n\nHe 0 0 0\n");
  EXPECT_THAT(refusal("--system " + input + " --trajectory " + input),
              HasSubstr("another file than the one read"));
  EXPECT_THAT(refusal("--cutoff 0 --checkpoint " + kept + " --trace " + kept + "2"), HasSubstr("cutoff"));
  EXPECT_THAT(refusal("--checkpoint " + kept + " --trace " + kept),
              HasSubstr("another file than that of --checkpoint"));
  EXPECT_THAT(refusal("--checkpoint " + folder.file("no/where")), HasSubstr("folder that exists"));
  EXPECT_THAT(refusal("--trace " + folder.file("")), HasSubstr("--trace"));
  EXPECT_EQ(content_of(kept), "precious");
  EXPECT_EQ(content_of(input), "1\n\nHe 0 0 0\n");
  EXPECT_EQ(folder.files(), 2u);
}

}  // namespace
}  // namespace ballast::md
