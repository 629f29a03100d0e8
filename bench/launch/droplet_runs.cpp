// SPDX-License-Identifier: Apache-2.0
#include "launch/droplet_runs.hpp"

#include <algorithm>
#include <cmath>

#include "nanodroplet/force_field.cuh"
#include "nanodroplet/launch_mode.hpp"
#include "nanodroplet/sampling.hpp"

namespace ballast::bench {
namespace {

constexpr std::uint32_t chains_of_conformer = 4;  // as in Wende et al. 2012
constexpr std::uint32_t minimiser_iterations = 40;
constexpr double seconds_of_droplet_run = 0.25;
constexpr std::uint32_t max_trajectories = 50;  // of 20 steps, as in the paper

bool never() { return false; }

/// The number of threads that drive the chains. They leave cores for a queue's threads.
std::uint32_t driving_threads() { return std::max(1u, nanodroplet::usual_threads() * 3 / 4); }

std::uint32_t steps_of_trajectory(session const& now) { return now.quick() ? 4 : 20; }

bool on_gpus(device_list const& devices) {
  return std::ranges::all_of(devices, [](auto const& device) { return device->is_cuda(); });
}

}  // namespace

std::vector<droplet_way> droplet_ways(device_list const& devices) {
  std::vector<droplet_way> all;
  for (auto const& mode : nanodroplet::launch_modes()) {
    if (!mode.on_devices || mode.by_queue || (mode.on_gpus_only && !on_gpus(devices))) continue;
    all.push_back({std::string(mode.name), std::string(mode.name), {}});
  }
  all.push_back({"queue", "queue", {}});
  all.push_back({"queue --merge none", "queue", {.merge = "none"}});
  all.push_back(
      {"queue --merge none --order round_robin", "queue", {.order = "round_robin", .merge = "none"}});
  return all;
}

std::string droplet_curve(droplet_way const& way, device_list const& devices) {
  if (devices.size() == 1) return way.name;
  return way.name + ", " + std::to_string(devices.size()) + " devices";
}

droplet_runs::droplet_runs(session& now, std::uint32_t waters, std::uint32_t max_chains) : now_(&now) {
  plan_.system.waters = waters;
  plan_.conformers = max_chains / chains_of_conformer;
  plan_.chains = chains_of_conformer;
  plan_.settings.steps_per_trajectory = steps_of_trajectory(now);
  plan_.minimiser_iterations = minimiser_iterations;
  plan_.threads = nanodroplet::usual_threads();
  starts_ = nanodroplet::prepared_conformers(plan_, &never);
  plan_.threads = driving_threads();
}

void droplet_runs::measure(droplet_way const& way, device_list const& devices, std::uint32_t chains,
                           double x) {
  auto const trajectories = fitting_trajectories(chains, rate(way, devices, chains, 1));
  now_->add(
      droplet_curve(way, devices), x, "interactions/s",
      now_->samples(0, now_->record().repetitions, [&] { return rate(way, devices, chains, trajectories); }));
}

std::uint32_t droplet_runs::fitting_trajectories(std::uint32_t chains, double rate) const {
  if (now_->quick()) return 2;
  auto const steps = chains * plan_.settings.steps_per_trajectory;
  double const fitting = seconds_of_droplet_run * rate / (steps * interactions_of_step());
  return static_cast<std::uint32_t>(std::clamp(fitting, 1.0, double(max_trajectories)));
}

double droplet_runs::interactions_of_step() const {
  return double(nanodroplet::interactions(plan_.system.waters, nanodroplet::m12::beads));
}

double droplet_runs::rate(droplet_way const& way, device_list const& devices, std::uint32_t chains,
                          std::uint32_t trajectories) {
  auto plan = plan_;
  plan.conformers = chains / chains_of_conformer;
  plan.settings.trajectories = trajectories;
  auto const source = nanodroplet::launch_mode_named(way.mode).open(plan, devices, way.options);
  auto const starts = std::vector(starts_.begin(), starts_.begin() + plan.conformers);
  auto const running =
      nanodroplet::make_chains(plan, starts, [&](std::size_t chain) { return source->make(chain); });
  double const seconds = seconds_of([&] { drive(running, plan.threads, !on_gpus(devices), &never); });
  verify(running, on_gpus(devices));
  return interactions_of(running) / seconds;
}

/// The interactions that the chains have computed. Each chain also computes the forces of its start, which is
/// no step.
double droplet_runs::interactions_of(chain_list const& chains) const {
  std::uint64_t evaluations = 0;
  for (auto const& chain : chains) evaluations += chain->steps_done() + 1;
  return double(evaluations) * interactions_of_step();
}

void droplet_runs::verify(chain_list const& chains, bool on_gpus) {
  for (auto const& chain : chains) {
    auto& known = known_[{on_gpus, chain->seed()}];
    auto const& found = chain->records();
    auto const common = std::min(known.size(), found.size());
    now_->verify(std::equal(found.begin(), found.begin() + std::ptrdiff_t(common), known.begin()),
                 "each chain's trajectories are bitwise the same in every way on devices of a kind");
    if (found.size() > known.size()) known = found;
  }
}

void begin_droplets(session& now) {
  now.repeat(1, now.size(3, 1));
  now.parameter("chains_of_conformer", chains_of_conformer);
  now.parameter("steps_of_trajectory", steps_of_trajectory(now));
  now.parameter("minimiser_iterations", minimiser_iterations);
  now.parameter("seconds_aimed_at", seconds_of_droplet_run);
  now.parameter("threads", driving_threads());
}

}  // namespace ballast::bench
