// SPDX-License-Identifier: Apache-2.0
// The same decisions whatever moves the water, on whatever device, and for any number of threads that drive
// the chains.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "ballast/error.hpp"
#include "failing_launcher.hpp"
#include "is_deep_run.hpp"
#include "nanodroplet/launch_mode.hpp"
#include "nanodroplet/report.hpp"
#include "test_devices.hpp"

namespace ballast::nanodroplet {
namespace {

using test::test_devices;

bool never() { return false; }

using chain_list = std::vector<std::unique_ptr<markov_chain>>;

/// A step so long that some trajectories are rejected.
sampling_plan small_plan(std::uint32_t threads) {
  sampling_plan plan;
  plan.system.waters = 27;
  plan.conformers = 3;
  plan.chains = 2;
  plan.settings = {1.8, 300, 8, 30};
  plan.minimiser_iterations = 200;
  plan.threads = threads;
  return plan;
}

chain_list chains_by(sampling_plan const& plan, std::string_view mode, device_list const& devices) {
  auto const source = launch_mode_named(mode).open(plan, devices, {});
  return make_chains(plan, prepared_conformers(plan, &never),
                     [&](std::size_t chain) { return source->make(chain); });
}

bool can_run(launch_mode const& mode, device_list const& devices) {
  return !mode.on_gpus_only || std::ranges::all_of(devices, [](auto const& d) { return d->is_cuda(); });
}

chain_list run(sampling_plan const& plan, std::string_view mode, device_list const& devices) {
  auto chains = chains_by(plan, mode, devices);
  drive(chains, plan.threads, true, &never);
  return chains;
}

std::vector<std::string> decisions(chain_list const& chains) {
  std::vector<std::string> all;
  for (auto const& chain : chains) all.push_back(decisions_of(*chain));
  return all;
}

chain_list const& reference_chains() {
  static auto const chains = run(small_plan(1), "reference", {});
  return chains;
}

void expect_reference_decisions(chain_list const& chains) {
  EXPECT_EQ(decisions(chains), decisions(reference_chains()));
  for (std::size_t i = 0; i < chains.size(); ++i)
    EXPECT_NEAR(chains[i]->records().back().potential.total(),
                reference_chains()[i]->records().back().potential.total(), 1e-6);
}

TEST(nanodroplet_chains, accept_some_trajectories_and_reject_some_each_in_its_own_way) {
  auto found = decisions(reference_chains());
  ASSERT_EQ(found.size(), 6u);
  for (auto const& letters : found) {
    EXPECT_EQ(letters.size(), 30u);
    EXPECT_GT(std::ranges::count(letters, '1'), 10);
    EXPECT_GT(std::ranges::count(letters, '0'), 5);
  }
  std::ranges::sort(found);
  EXPECT_EQ(std::unique(found.begin(), found.end()), found.end());
}

TEST(nanodroplet_chains, have_seeds_by_conformer_and_number) {
  std::vector<std::uint64_t> seeds;
  for (auto const& chain : reference_chains()) seeds.push_back(chain->seed());
  EXPECT_THAT(seeds, testing::ElementsAre(0, 1, 1000, 1001, 2000, 2001));
}

TEST(nanodroplet_chains, decide_alike_in_every_mode_on_any_devices_with_any_number_of_threads) {
  auto const& all = test_devices();
  for (auto const& mode : launch_modes()) {
    if (!can_run(mode, all)) continue;
    for (std::uint32_t const threads : {1u, 3u, 9u}) {
      SCOPED_TRACE(std::string(mode.name) + ", threads: " + std::to_string(threads));
      if (threads == 3 || !mode.on_devices || test::is_deep_run())
        expect_reference_decisions(run(small_plan(threads), mode.name, {all.front()}));
      if (mode.on_devices) expect_reference_decisions(run(small_plan(threads), mode.name, all));
    }
  }
}

TEST(nanodroplet_chains, repeat_every_bit_on_devices_of_one_kind) {
  auto const& all = test_devices();
  bool const are_alike =
      std::ranges::all_of(all, [&](auto const& d) { return d->is_cuda() == all.front()->is_cuda(); });
  if (!are_alike) GTEST_SKIP() << "CPU cores and GPUs round differently";
  auto const known = run(small_plan(1), "streams", {all.front()});
  for (auto const& mode : launch_modes()) {
    if (!mode.on_devices || !can_run(mode, all)) continue;
    auto const found = run(small_plan(2), mode.name, all);
    for (std::size_t i = 0; i < known.size(); ++i) {
      EXPECT_EQ(found[i]->records(), known[i]->records());
      EXPECT_EQ(found[i]->state(), known[i]->state());
    }
  }
}

TEST(nanodroplet_chains, end_between_steps_when_asked_to_stop) {
  auto const plan = small_plan(2);
  for (auto const& mode : launch_modes()) {
    if (!can_run(mode, test_devices())) continue;
    auto const chains = chains_by(plan, mode.name, {test_devices().front()});
    std::atomic<int> asked = 0;
    drive(chains, plan.threads, true, [&] { return ++asked > 200; });
    EXPECT_TRUE(std::ranges::any_of(chains, [](auto const& c) { return !c->is_done(); }));
  }
}

TEST(nanodroplet_chains, by_graphs_are_refused_on_cpu_cores) {
  try {
    launch_mode_named("graphs").open(small_plan(1), open_devices("host:1"), {});
    FAIL() << "nothing was thrown";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "devices");
    EXPECT_EQ(refusal.value(), "host:1");
    EXPECT_THAT(refusal.legal(), testing::StartsWith("GPUs beside --launch graphs"));
  }
}

TEST(nanodroplet_chains, in_batches_may_be_fewer_than_the_devices) {
  auto plan = small_plan(1);
  plan.conformers = plan.chains = 1;
  auto const chains = run(plan, "batched", open_devices("host:1,host:1,host:1"));
  ASSERT_EQ(chains.size(), 1u);
  EXPECT_EQ(decisions_of(*chains.front()), decisions(reference_chains()).front());
}

TEST(nanodroplet_chains, stop_all_and_tell_why_when_one_fails) {
  auto const plan = small_plan(2);
  auto const source = launch_mode_named("reference").open(plan, {}, {});
  auto const chains = make_chains(plan, prepared_conformers(plan, &never),
                                  [&](std::size_t chain) -> std::unique_ptr<chain_launcher> {
                                    if (chain != 3) return source->make(chain);
                                    return std::make_unique<failing_launcher>(source->make(chain));
                                  });
  EXPECT_THAT([&] { drive(chains, plan.threads, true, &never); },
              testing::ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_FALSE(chains[3]->is_done());
}

TEST(nanodroplet_chains, of_one_size_are_summed_up_without_what_is_discarded) {
  auto const& chains = reference_chains();
  auto const all = summary_of(chains, 300, 0), last = summary_of(std::span(chains).first(1), 300, 29);
  EXPECT_EQ(all.trajectories, 180u);
  EXPECT_EQ(last.trajectories, 1u);
  auto const& record = chains.front()->records().back();
  EXPECT_EQ(last.potential, record.potential);
  EXPECT_EQ(last.accepted, record.accepted ? 1u : 0u);
  EXPECT_DOUBLE_EQ(last.temperature, 2 * record.kinetic / (3 * 93 * boltzmann));
  EXPECT_DOUBLE_EQ(last.energy_error, record.energy_error / (boltzmann * 300));
  EXPECT_DOUBLE_EQ(last.gyration_radius, record.shape.gyration_radius);
  EXPECT_NEAR(all.acceptance(), static_cast<double>(all.accepted) / 180, 1e-15);
}

TEST(nanodroplet_shape, of_a_line_of_three_oxygens_is_known) {
  droplet line;
  for (double const x : {0.0, 3.0, 6.0})
    line.water.insert(line.water.end(), {vec3{x, 1, 2}, vec3{x, 50, 2}, vec3{x, 1, 50}});
  auto const shape = shape_of(line);
  EXPECT_NEAR(shape.greatest_radius, 3, 1e-12);
  EXPECT_NEAR(shape.gyration_radius, std::sqrt(6.0), 1e-12);
}

}  // namespace
}  // namespace ballast::nanodroplet
