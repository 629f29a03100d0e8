// SPDX-License-Identifier: Apache-2.0
#include "command_line/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>

#include "ballast/error.hpp"
#include "command_line/program.hpp"

namespace ballast::test {
namespace {

using namespace command_line;
using variables = std::map<std::string, std::string, std::less<>>;

std::optional<launch> launch_by(variables const& all) {
  return launch_of([&all](std::string_view name) {
    auto const found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(launcher, is_known_by_the_variables_that_it_sets) {
  EXPECT_EQ(launch_by({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}}),
            (launch{"mpirun", 2, 1}));
  EXPECT_EQ(launch_by({{"PMI_SIZE", "4"}, {"PMI_RANK", "0"}}), (launch{"mpiexec", 4, 0}));
  EXPECT_EQ(launch_by({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}}), (launch{"srun", 8, 7}));
}

TEST(launcher, is_named_where_slurm_is_beneath_it_or_speaks_its_protocol) {
  variables const by_slurm{{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}};
  auto pmi = by_slurm, mpi = by_slurm, other = by_slurm;
  pmi.insert({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
  mpi.insert({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "0"}});
  other.insert({{"PMI_SIZE", "16"}, {"PMI_RANK", "9"}});
  EXPECT_EQ(launch_by(pmi), (launch{"srun", 2, 1}));
  EXPECT_EQ(launch_by(mpi), (launch{"mpirun", 2, 0}));
  EXPECT_EQ(launch_by(other), (launch{"mpiexec", 16, 9}));
}

TEST(launcher, of_one_process_or_of_none_that_is_known_is_none) {
  EXPECT_FALSE(launch_by({}));
  EXPECT_FALSE(launch_by({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}));
  EXPECT_FALSE(launch_by({{"SLURM_NTASKS", "16"}, {"SLURM_PROCID", "0"}})) << "a script of sbatch";
  EXPECT_FALSE(launch_by({{"PMI_SIZE", "x"}, {"PMI_RANK", "0"}}));
  EXPECT_FALSE(launch_by({{"PMI_SIZE", "2"}}));
  EXPECT_FALSE(launch_by({{"PMI_SIZE", "2"}, {"PMI_RANK", "2"}}));
}

TEST(launcher, is_told_of_once_by_the_first_of_its_processes) {
  EXPECT_EQ(
      advice_on_launch(launch{"mpirun", 2, 0}),
      "2 processes were started by mpirun without --cluster: each of them does the whole work by itself");
  EXPECT_EQ(advice_on_launch(launch{"mpirun", 2, 1}), "");
  EXPECT_EQ(advice_on_launch({}), "");
}

/// The output of a program as the first of two processes.
std::string told_by(program const& what, std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_program(what, int(pointers.size()), pointers.data()), 0);
  unsetenv("OMPI_COMM_WORLD_SIZE");
  unsetenv("OMPI_COMM_WORLD_RANK");
  set_log_sink({});
  return testing::internal::GetCapturedStderr();
}

TEST(program, warns_of_processes_that_each_do_the_whole_work) {
  auto const add = [](CLI::App& app) { app.add_subcommand("work")->add_flag("--cluster"); };
  EXPECT_THAT(told_by({.name = "work", .describe = add}, {"ballast-work"}),
              testing::StartsWith("ballast: 2 processes were started by mpirun"));
  EXPECT_EQ(told_by({.name = "work", .describe = add}, {"ballast-work", "--cluster"}), "");
  EXPECT_EQ(told_by({.name = "work", .describe = add, .is_of_ranks = true}, {"ballast-work"}), "");
}

}  // namespace
}  // namespace ballast::test
