// SPDX-License-Identifier: Apache-2.0
#include "nanodroplet/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ballast/error.hpp"
#include "command_line.hpp"
#include "scratch_folder.hpp"

namespace ballast::nanodroplet {
namespace {

using nlohmann::json;
using testing::HasSubstr;

test::command_line const command("nanodroplet", &add_command);

std::string const small =
    "--waters 8 --conformers 2 --chains 2 --steps 20 --trajectory-steps 5 --devices host:1 ";

TEST(nanodroplet_command, tells_the_energies_of_the_start_of_the_papers_droplet) {
  auto const found = command.answer("--steps 0");
  EXPECT_NEAR(found["energy"]["bond"], 84.0850524194, 1e-8);
  EXPECT_NEAR(found["energy"]["angle"], 38.0779179201, 1e-8);
  EXPECT_NEAR(found["energy"]["dihedral"], 1.53840085427, 1e-9);
  EXPECT_NEAR(found["energy"]["vdw"], -59.440345876, 1e-8);
  EXPECT_NEAR(found["energy"]["coulomb"], -145.045836075, 1e-7);
  EXPECT_NEAR(found["energy"]["total"], -80.7848107572, 1e-7);
  EXPECT_EQ(found["system"]["atoms"], 1080);
  EXPECT_EQ(found["system"]["interactions_per_step"], 1'152'372);
  EXPECT_THAT(command.printed("--steps 0"), HasSubstr("-80.784810757"));
}

TEST(nanodroplet_command, tells_what_each_chain_did) {
  auto const found = command.answer(small);
  ASSERT_EQ(found["chains"].size(), 4u);
  ASSERT_EQ(found["conformers"].size(), 2u);
  EXPECT_EQ(found["chains"][3]["conformer"], 1);
  EXPECT_EQ(found["chains"][3]["chain"], 1);
  EXPECT_EQ(found["chains"][3]["seed"], 1001);
  EXPECT_EQ(found["chains"][3]["decisions"].get<std::string>().size(), 4u);
  EXPECT_EQ(found["chains"][3]["torsions"].size(), 4u);
  EXPECT_EQ(found["all"]["trajectories"], 16);
  EXPECT_GT(found["all"]["temperature"], 50);
  EXPECT_LT(found["all"]["potential"]["total"], found["energy"]["total"]);
  EXPECT_EQ(found["steps"], 80);
  EXPECT_EQ(found["stopped"], false);
  double const rate = found["interactions_per_second"], seconds = found["seconds"];
  EXPECT_NEAR(rate * seconds, 80.0 * 24 * (21 + 2 + 12), 1);
}

TEST(nanodroplet_command, prints_a_line_for_each_chain_and_one_for_all) {
  auto const text = command.printed(small);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 2 + 5 + 1);
  EXPECT_THAT(text, HasSubstr("all    all"));
  EXPECT_THAT(text, HasSubstr("80 steps"));
}

TEST(nanodroplet_command, has_decisions_that_hang_on_seed_and_settings_alone) {
  auto const decisions = [](std::string const& options) {
    auto const found =
        command.answer("--waters 8 --steps 40 --trajectory-steps 5 --dt 2 --conformers 1 " + options);
    std::string all;
    for (auto const& chain : found["chains"]) all += chain["decisions"].get<std::string>() + " ";
    return all;
  };
  auto const known = decisions("--launch reference --threads 1");
  EXPECT_EQ(decisions("--launch reference --threads 3"), known);
  EXPECT_EQ(decisions("--launch streams --devices host:1,host:1"), known);
  EXPECT_EQ(decisions("--launch queue --devices host:1,host:1"), known);
  EXPECT_EQ(decisions("--launch queue --order held --key priority --merge none --devices host:2"), known);
  EXPECT_NE(decisions("--launch reference --seed 7"), known);
}

TEST(nanodroplet_command, tells_how_many_launches_a_queue_made_of_its_kernels) {
  auto const merged = command.answer(small)["launches"],
             single = command.answer(small + "--merge none")["launches"];
  // For each chain: positions are loaded, then 3 kernels; 4 trajectories of 5 steps and a beginning each.
  EXPECT_EQ(merged["kernels"], 4 * (1 + 3 + 4 * (1 + 5 * 3)));
  EXPECT_EQ(single["kernels"], merged["kernels"]);
  EXPECT_EQ(single["launches"], single["kernels"]);
  EXPECT_LE(merged["launches"], merged["kernels"]);
  EXPECT_EQ(single["merged_kernels"], 0);
  EXPECT_EQ(single["verdicts"]["merge"], 0);
  EXPECT_EQ(single["costs"].size(), 1u);
  EXPECT_TRUE(command.answer(small + "--launch streams")["launches"].is_null());
}

TEST(nanodroplet_command, leaves_the_first_trajectories_out_of_means_when_told_so) {
  EXPECT_EQ(command.answer(small + "--discard 3")["all"]["trajectories"], 4);
}

TEST(nanodroplet_command, ends_early_with_what_was_done_when_stopped) {
  auto const found = command.answer(small, true);
  EXPECT_EQ(found["stopped"], true);
  EXPECT_EQ(found["all"]["trajectories"], 0);
  EXPECT_TRUE(found["all"]["temperature"].is_null());
}

/// Regions of few trajectories around the lowest conformers of the chain alone.
std::string const glat =
    "--protocol glat --solute m7 --waters 8 --window 0 --conformers 1 --look-every 4 "
    "--trajectory-steps 5 --devices host:1 ";

TEST(nanodroplet_command, tells_the_regions_that_glat_found_and_sums_them_up_by_weight) {
  auto const found = command.answer(glat + "--temperature 5000 --dt 1 --steps 200 --most-ratio 1.5");
  auto const &regions = found["regions"], &chains = found["chains"];
  ASSERT_GT(regions.size(), 1u);
  ASSERT_EQ(chains.size(), 4 * regions.size());
  EXPECT_EQ(found["conformers"].size(), regions.size());
  double sum = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    auto const& region = regions[i];
    EXPECT_EQ(region["torsions"].get<std::string>().size(), 4u);
    EXPECT_EQ(region["converged"], region["ratio"] <= 1.5);
    EXPECT_EQ(chains[4 * i + 3]["decisions"].get<std::string>().size(), region["trajectories"]);
    EXPECT_EQ(chains[4 * i + 3]["seed"], 1000 * region["region"].get<int>() + 3);
    EXPECT_EQ(chains[4 * i]["trajectories"], (region["trajectories"].get<int>() + 1) / 2);
    if (region["weight"].is_number()) sum += region["weight"].get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  ASSERT_EQ(found["global"]["torsions"].size(), 4u);
  for (auto const& shares : found["global"]["torsions"]) {
    double whole = 0;
    for (double const share : shares) whole += share;
    EXPECT_NEAR(whole, 1, 1e-12);
  }
  EXPECT_EQ(found["stopped"], false);
  EXPECT_EQ(found["settings"]["glat"]["look_every"], 4);
  EXPECT_EQ(found["settings"]["glat"]["window"], 0);
}

TEST(nanodroplet_command, prints_a_line_for_each_region_of_glat) {
  auto const text = command.printed(glat + "--steps 40");
  EXPECT_THAT(text, HasSubstr("regions, 4 chains each"));
  EXPECT_THAT(text, HasSubstr(" tttt "));
  EXPECT_THAT(text, HasSubstr("converged"));
}

TEST(nanodroplet_command, ends_glat_early_with_what_was_done_when_stopped) {
  auto const found = command.answer(glat + "--steps 40", true);
  EXPECT_EQ(found["stopped"], true);
  EXPECT_EQ(found["regions"].size(), 0u);
  EXPECT_TRUE(found["global"].is_null());
  EXPECT_TRUE(found["all"]["temperature"].is_null());
}

TEST(nanodroplet_command, tells_of_no_regions_without_glat) {
  auto const found = command.answer(small);
  EXPECT_TRUE(found["regions"].is_null());
  EXPECT_TRUE(found["global"].is_null());
  EXPECT_TRUE(found["settings"]["glat"].is_null());
}

TEST(nanodroplet_command, writes_frames_of_the_first_conformers_region_with_glat) {
  test::scratch_folder const folder;
  auto const path = folder.file("frames.xyz");
  auto const found = command.answer(glat + "--steps 40 --xyz " + path);
  std::ifstream in(path);
  std::size_t lines = 0, trajectories = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  for (auto const& region : found["regions"])
    if (region["torsions"] == "tttt") trajectories = region["trajectories"];
  EXPECT_GT(trajectories, 0u);
  EXPECT_EQ(lines, trajectories * (2 + 24 + 7));
}

TEST(nanodroplet_command, writes_frames_of_the_first_chain_to_a_new_file) {
  test::scratch_folder const folder;
  auto const path = folder.file("frames.xyz");
  command.printed(small + "--xyz " + path + " --xyz-every 2");
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2u * (2 + 36));
  EXPECT_EQ(lines[0], "36");
  EXPECT_THAT(lines[1], HasSubstr("trajectory=2 time=5 potential=-"));
  EXPECT_THAT(lines[38 + 1], HasSubstr("trajectory=4 time=10 "));
  EXPECT_EQ(lines[2].substr(0, 2), "O ");
  EXPECT_EQ(lines[3].substr(0, 2), "H ");
  EXPECT_EQ(lines[37].substr(0, 2), "C ");
  EXPECT_THAT(command.refusal(small + "--xyz " + path), HasSubstr("xyz is " + path));
  EXPECT_THAT(command.refusal(small + "--xyz " + folder.file("missing/a.xyz")),
              HasSubstr("in a folder that is"));
}

TEST(nanodroplet_command, refuses_illegal_values_under_their_options) {
  command.expect_refusals({
      {"--waters 0", "--waters is 0; legal is a whole number from 1 to 1024"},
      {"--waters 1025", "--waters is 1025;"},
      {"--waters -1", "--waters is -1;"},
      {"--solute sugar", "solute is sugar; legal is m12, m7 or none"},
      {"--conformers 0", "--conformers is 0;"},
      {"--conformers 2 --solute none", "conformers is 2; legal is 1 beside"},
      {"--chains 0", "--chains is 0;"},
      {"--threads 0", "--threads is 0;"},
      {"--steps 30", "steps is 30; legal is a multiple of --trajectory-steps, which is 20"},
      {"--trajectory-steps 0", "--trajectory-steps is 0;"},
      {"--dt 0", "dt is 0; legal is 1e-6 to 1000"},
      {"--dt nan", "dt is nan"},
      {"--temperature -1", "temperature is -1;"},
      {"--temperature 1e-320", "legal is 1e-6 to 1000000"},
      {"--dt 1e-7", "dt is 1e-07; legal is 1e-6 to 1000"},
      {"--temperature inf", "temperature is inf;"},
      {"--launch luck", "launch is luck; legal is "},
      {small + "--order luck", "order is luck; legal is "},
      {small + "--key luck", "key is luck; legal is "},
      {small + "--merge luck", "merge is luck; legal is "},
      {"--streams 129", "--streams is 129;"},
      {"--discard 50", "discard is 50; legal is fewer than the trajectories"},
      {"--seed -1", "--seed is -1;"},
      {"--minimise many", "--minimise is many;"},
      {"--devices teapot", "teapot"},
      {"--protocol luck", "protocol is luck; legal is plain or glat"},
      {"--protocol glat --solute none", "solute is none; legal is m12 or m7 beside --protocol glat"},
      {"--protocol glat --chains 1", "chains is 1; legal is 2 to 1000 beside --protocol glat"},
      {"--protocol glat --discard 2", "discard is 2; legal is 0 beside --protocol glat"},
      {"--protocol glat --look-every 3", "--look-every is 3; legal is a whole number from 4 to"},
      {"--protocol glat --most-ratio 1", "most-ratio is 1; legal is above 1, to 1000"},
      {"--protocol glat --most-ratio nan", "most-ratio is nan;"},
      {"--protocol glat --window -1", "window is -1; legal is 0 to 1000"},
      {"--protocol glat --window nan", "window is nan;"},
  });
}

TEST(nanodroplet_command, refuses_graphs_on_cpu_cores) {
  EXPECT_THAT(command.refusal("--launch graphs --devices host:1"),
              HasSubstr("devices is host:1; legal is GPUs beside --launch graphs"));
}

TEST(nanodroplet_command, refuses_options_that_would_do_nothing) {
  command.expect_refusals({
      {"--steps 0 --chains 2", "--chains is 2; legal is nothing beside --steps 0"},
      {"--steps 0 --devices host:1", "--devices is host:1;"},
      {"--launch reference --devices host:1",
       "devices is host:1; legal is nothing beside --launch reference"},
      {"--launch batched --order held", "order is held;"},
      {"--launch streams --merge none", "merge is none; legal is nothing beside"},
      {"--launch streams --order held", "order is held;"},
      {"--launch streams --key fifo", "key is fifo;"},
      {"--launch reference --streams 2", "streams is 2;"},
      {"--xyz-every 2", "xyz-every is 2; legal is 1 without --xyz"},
      {"--look-every 8", "look-every is 8; legal is nothing beside --protocol plain"},
      {"--most-ratio 2", "most-ratio is 2; legal is nothing beside --protocol plain"},
      {"--window 2", "window is 2; legal is nothing beside --protocol plain"},
      {"--steps 0 --protocol glat", "--protocol is glat; legal is nothing beside --steps 0"},
  });
}

}  // namespace
}  // namespace ballast::nanodroplet
