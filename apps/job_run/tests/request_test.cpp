// SPDX-License-Identifier: Apache-2.0
#include "job_run/request.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ballast/cluster.hpp"
#include "ballast/error.hpp"

namespace ballast::job_run {
namespace {

TEST(job_run_request, reads_bytes_with_and_without_a_letter) {
  EXPECT_EQ(bytes_in("memory", "4096"), 4096u);
  EXPECT_EQ(bytes_in("memory", "4K"), 4096u);
  EXPECT_EQ(bytes_in("memory", "100M"), 104'857'600u);
  EXPECT_EQ(bytes_in("memory", "2G"), 2'147'483'648u);
  EXPECT_EQ(bytes_in("memory", "1024G"), std::uint64_t{1} << 40);
}

TEST(job_run_request, refuses_bytes_that_are_none_too_few_or_too_many) {
  for (auto const* const text :
       {"", "M", "4095", "3K", "1025G", "99999999999G", "1.5M", "-4096", "64m", "64MB", " 64M", "64 M"})
    EXPECT_THROW(bytes_in("memory", text), bad_argument) << text;
}

TEST(job_run_request, becomes_options_of_a_scheduler) {
  request asked;
  asked.policy = "guided";
  asked.tasks = 17;
  asked.device_memory = 12345;
  asked.check_maps = true;
  asked.reuse = false;
  auto const options = options_of(asked);
  EXPECT_EQ(options.policy, "guided");
  EXPECT_EQ(options.tasks, 17u);
  EXPECT_EQ(options.device_bytes, 12345u);
  EXPECT_TRUE(options.check_maps);
  EXPECT_FALSE(options_of({}).check_maps);
  EXPECT_FALSE(options.reuse);
}

TEST(job_run_request, tells_options_that_are_the_same_on_all_ranks) {
  CLI::App app;
  request asked;
  auto* const command = app.add_subcommand("heat");
  add_options(*command, asked);
  std::string const typed = "heat --policy guided --trace /tmp/mine --devices host:1 --json --no-reuse";
  app.parse(typed);
  auto const all = options_of_all_ranks(*command);
  std::map<std::string, std::string> const told(all.begin(), all.end());
  EXPECT_EQ(all.front(), std::pair(std::string("command"), std::string("heat")));
  EXPECT_EQ(told.at("--policy"), "guided");
  EXPECT_EQ(told.at("--trace"), "given");
  EXPECT_EQ(told.at("--repeat"), "1");
  EXPECT_EQ(told.at("--device-memory"), "not given");
  EXPECT_NE(told.at("--reuse"), "not given");
  for (auto const* const own : {"--devices", "--json", "--cluster", "--help"})
    EXPECT_FALSE(told.contains(own)) << own;
}

TEST(job_run_request, tells_other_ranks_what_a_program_throws) {
  auto clusters = in_process_clusters(2);
  std::optional<cluster> failing(std::move(clusters[0]));
  EXPECT_THROW(telling_ranks(failing, []() -> int { throw error("out of luck"); }), error);
  try {
    require_same_options(clusters[1], {});
    ADD_FAILURE() << "rank 0 is lost";
  } catch (rank_lost const& loss) {
    EXPECT_NE(std::string(loss.what()).find("rank 0 failed: out of luck"), std::string::npos) << loss.what();
  }
  std::optional<cluster> none;
  EXPECT_EQ(telling_ranks(none, [] { return 7; }), 7);
}

}  // namespace
}  // namespace ballast::job_run
