// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <cmath>
#include <string_view>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::nanodroplet {
namespace {

/// Smaller ones come to nothing where they are divided by, or multiplied.
void check_positive_range(std::string_view option, double value, double most) {
  if (value >= 1e-6 && value <= most) return;
  throw_bad_argument(option, value, "1e-6 to " + std::to_string(static_cast<long>(most)));
}

bool has_solute(command_request const& typed) {
  constexpr std::string_view solutes[] = {"m12", "none"};
  return index_among(solutes, "solute", typed.solute) == 0;
}

std::uint32_t conformers(command_request const& typed) {
  if (!typed.conformers) return has_solute(typed) ? sampling_plan{}.conformers : 1;
  if (!has_solute(typed) && *typed.conformers > 1)
    throw_bad_argument("conformers", *typed.conformers, "1 beside --solute none");
  return *typed.conformers;
}

std::uint32_t trajectories(command_request const& typed) {
  if (typed.steps % typed.trajectory_steps != 0)
    throw_bad_argument(
        "steps", typed.steps,
        "a multiple of --trajectory-steps, which is " + std::to_string(typed.trajectory_steps));
  auto const count = typed.steps / typed.trajectory_steps;
  if (count > 0 && typed.discard >= count)
    throw_bad_argument("discard", typed.discard,
                       "fewer than the trajectories of a chain, which are " + std::to_string(count));
  return count;
}

void check_use(launch_mode const& mode, bool is_used, std::string_view option,
               std::optional<std::string> const& typed) {
  if (typed && !is_used)
    throw_bad_argument(option, *typed, "nothing beside --launch " + std::string(mode.name));
}

/// The queue checks names and numbers.
launch_options options_for(launch_mode const& mode, command_request const& typed) {
  launch_options options;
  check_use(mode, mode.by_queue, "order", typed.order);
  check_use(mode, mode.by_queue, "among", typed.among);
  check_use(mode, mode.by_queue, "merge", typed.merge);
  if (typed.streams) check_use(mode, mode.by_queue, "streams", std::to_string(*typed.streams));
  options.order = typed.order.value_or(options.order);
  options.among = typed.among.value_or(options.among);
  options.merge = typed.merge.value_or(options.merge);
  options.streams = typed.streams.value_or(options.streams);
  return options;
}

}  // namespace

checked_request checked(command_request const& typed) {
  check_positive_range("dt", typed.time_step, 1000);
  check_positive_range("temperature", typed.temperature, 1'000'000);
  if (typed.xyz.empty() && typed.xyz_every != 1)
    throw_bad_argument("xyz-every", typed.xyz_every, "1 without --xyz");
  sampling_plan plan;
  plan.system = {typed.waters, has_solute(typed), 0};
  plan.conformers = conformers(typed);
  plan.chains = typed.chains;
  plan.settings = {typed.time_step, typed.temperature, typed.trajectory_steps, trajectories(typed)};
  plan.minimiser_iterations = typed.minimise;
  plan.seed = typed.seed;
  plan.threads = typed.threads;
  auto const& mode = launch_mode_named(typed.launch);
  check_use(mode, mode.on_devices, "devices", typed.devices);
  return {plan, &mode, options_for(mode, typed), typed.discard};
}

device_list devices_for(launch_mode const& mode, std::optional<std::string> const& typed) {
  if (!mode.on_devices) return {};
  return open_devices(typed ? *typed : default_device_list());
}

}  // namespace ballast::nanodroplet
