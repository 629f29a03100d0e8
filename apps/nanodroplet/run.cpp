// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <chrono>

#include "xyz_file.hpp"

namespace ballast::nanodroplet {
namespace {

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

void write_frames(markov_chain& chain, xyz_file& to, sampling_settings const& settings, std::uint32_t every) {
  double const time = settings.time_step * settings.steps_per_trajectory;
  chain.observe([&to, time, every, done = std::uint64_t(0)](trajectory_record const& record,
                                                            droplet const& state) mutable {
    if (++done % every == 0) to.add(state, done, time * static_cast<double>(done), record.potential.total());
  });
}

bool shares_cores(device_list const& devices) {
  return std::any_of(devices.begin(), devices.end(), [](auto const& d) { return !d->is_cuda(); });
}

}  // namespace

std::uint64_t finished_run::steps() const {
  std::uint64_t sum = 0;
  for (auto const& chain : chains) sum += chain->steps_done();
  return sum;
}

double finished_run::interactions_per_second() const {
  return static_cast<double>(steps() * interactions(start.waters(), start.beads.size())) / seconds;
}

finished_run run_sampling(checked_request const& asked, device_list const& devices, std::string const& xyz,
                          std::uint32_t xyz_every, std::function<bool()> const& stop_requested) {
  auto const source = asked.mode->open(asked.plan, devices, asked.options);
  std::optional<xyz_file> frames;
  if (!xyz.empty()) frames.emplace(xyz);
  finished_run result{asked, {}, make_droplet(asked.plan.system), {}, {}, {}, 0, 0, false};
  for (auto const& device : devices) result.devices.push_back(device->name());
  auto const prepares = clock::now();
  result.minimised = prepared_conformers(asked.plan, stop_requested);
  result.minimiser_seconds = seconds_since(prepares);
  result.chains = make_chains(asked.plan, result.minimised, [&](std::size_t i) { return source->make(i); });
  if (frames) write_frames(*result.chains.front(), *frames, asked.plan.settings, xyz_every);
  auto const begins = clock::now();
  drive(result.chains, asked.plan.threads, shares_cores(devices), stop_requested);
  result.seconds = seconds_since(begins);
  result.launches = source->statistics();
  result.was_stopped =
      !std::all_of(result.chains.begin(), result.chains.end(), [](auto const& c) { return c->is_done(); });
  return result;
}

}  // namespace ballast::nanodroplet
