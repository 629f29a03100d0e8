// SPDX-License-Identifier: Apache-2.0
#include "launch_mode.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "kernels.hpp"
#include "launchers.hpp"

namespace ballast::nanodroplet {
namespace {

chain_size size_of_chains(sampling_plan const& plan) {
  return {plan.system.waters, plan.system.beads(), plan.settings.time_step};
}

using source = std::unique_ptr<launcher_source>;

source source_of(launcher_maker make) {
  return std::make_unique<launcher_source>(launcher_source{std::move(make)});
}

/// A Launcher for each chain that knows of no other.
template <class Launcher>
source separate(sampling_plan const& plan, device_list const& devices) {
  return source_of([=, size = size_of_chains(plan)](std::size_t chain) {
    return std::make_unique<Launcher>(devices[chain % devices.size()], size);
  });
}

source open_queue(sampling_plan const& plan, device_list const& devices, launch_options const& options) {
  auto const queue = std::make_shared<launch_queue>(devices, droplet_kernels(), options);
  auto opened = source_of([=, size = size_of_chains(plan)](std::size_t chain) {
    std::size_t const place = chain % devices.size();
    return std::make_unique<queue_launcher>(queue, place, devices[place], size);
  });
  opened->statistics = [=] { return queue->statistics(); };
  return opened;
}
source open_streams(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  return separate<stream_launcher>(plan, devices);
}
source open_graphs(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  for (auto const& device : devices)
    if (!device->is_cuda())
      throw_bad_argument("devices", device->name(),
                         "GPUs beside --launch graphs: CPU cores run no CUDA graphs");
  return separate<graph_launcher>(plan, devices);
}
source open_batches(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  std::size_t const chains = std::size_t(plan.conformers) * plan.chains;
  std::vector<std::shared_ptr<chain_batch>> batches;  // by device
  for (std::size_t place = 0; place < std::min(chains, devices.size()); ++place) {
    auto const of_device = (chains - place - 1) / devices.size() + 1;
    batches.push_back(std::make_shared<chain_batch>(devices[place], size_of_chains(plan), of_device));
  }
  return source_of([batches = std::move(batches)](std::size_t chain) {
    return std::make_unique<batch_launcher>(batches[chain % batches.size()], chain / batches.size());
  });
}
source open_reference(sampling_plan const& plan, device_list const&, launch_options const&) {
  return source_of([size = size_of_chains(plan)](std::size_t) {
    return std::make_unique<reference_launcher>(size.waters, size.beads, size.time_step);
  });
}

constexpr launch_mode modes[] = {
    {.name = "queue",
     .summary = "a launch queue, two launch streams for each chain",
     .on_devices = true,
     .by_queue = true,
     .open = &open_queue},
    {.name = "streams",
     .summary = "two streams for each chain, launched by the threads that drive the chains",
     .on_devices = true,
     .open = &open_streams},
    {.name = "graphs",
     .summary = "a CUDA graph for each step, launched by the threads that drive the chains; GPUs only",
     .on_devices = true,
     .on_gpus_only = true,
     .open = &open_graphs},
    {.name = "batched",
     .summary = "all chains of a device in lock-step, as three launches for each step of all",
     .on_devices = true,
     .open = &open_batches},
    {.name = "reference",
     .summary = "no device: another program for the same forces, on the threads that drive the chains",
     .open = &open_reference},
};

}  // namespace

std::span<launch_mode const> launch_modes() { return modes; }

launch_mode const& launch_mode_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& mode : modes) names.push_back(mode.name);
  return modes[index_among(names, "launch", name)];
}

}  // namespace ballast::nanodroplet
