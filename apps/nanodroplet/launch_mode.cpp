// SPDX-License-Identifier: Apache-2.0
#include "launch_mode.hpp"

#include <vector>

#include "ballast/base/argument_text.hpp"
#include "reference_launcher.hpp"
#include "stream_launcher.hpp"

namespace ballast::nanodroplet {
namespace {

chain_size size_of_chains(sampling_plan const& plan) {
  return {plan.system.waters, plan.system.has_solute ? m12::beads : 0, plan.settings.time_step};
}

launcher_maker reference(sampling_plan const& plan, device_list const&) {
  return [size = size_of_chains(plan)](std::size_t) {
    return std::make_unique<reference_launcher>(size.waters, size.beads, size.time_step);
  };
}

launcher_maker streams(sampling_plan const& plan, device_list const& devices) {
  return [size = size_of_chains(plan), devices](std::size_t chain) {
    return std::make_unique<stream_launcher>(devices[chain % devices.size()], size);
  };
}

constexpr launch_mode modes[] = {
    {"streams", "two streams for each chain, launched by the threads that drive the chains", true, &streams},
    {"reference", "no device: another program for the same forces, on the threads that drive the chains",
     false, &reference},
};

}  // namespace

std::span<launch_mode const> launch_modes() { return modes; }

launch_mode const& launch_mode_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& mode : modes) names.push_back(mode.name);
  return modes[place_among(names, "launch", name)];
}

}  // namespace ballast::nanodroplet
