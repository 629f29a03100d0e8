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

/// An independent Launcher for each chain.
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
/// Chains that are always at the same step form a batch on each device: all chains of a run, or those of a
/// conformer.
class batch_maker {
 public:
  batch_maker(sampling_plan const& plan, device_list devices)
      : size_(size_of_chains(plan)),
        group_(plan.are_alike ? std::size_t(plan.conformers) * plan.chains : plan.chains),
        devices_(std::move(devices)) {}

  std::unique_ptr<chain_launcher> operator()(std::size_t chain) {
    std::size_t const place = chain % devices_.size(), first = chain / group_ * group_;
    if (batches_.empty() || first != first_) begin_group(first);
    return std::make_unique<batch_launcher>(batches_[place], before(chain, place) - before(first, place));
  }

 private:
  void begin_group(std::size_t first) {
    first_ = first;
    batches_.assign(devices_.size(), nullptr);
    for (std::size_t place = 0; place < devices_.size(); ++place) {
      auto const of_device = before(first + group_, place) - before(first, place);
      if (of_device > 0) batches_[place] = std::make_shared<chain_batch>(devices_[place], size_, of_device);
    }
  }
  /// The number of earlier chains on the device at that place.
  std::size_t before(std::size_t chain, std::size_t place) const {
    return (chain + devices_.size() - 1 - place) / devices_.size();
  }

  chain_size size_;
  std::size_t group_, first_ = 0;
  device_list devices_;
  std::vector<std::shared_ptr<chain_batch>> batches_;  ///< of the present group, by device
};

source open_batches(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  return source_of(batch_maker(plan, devices));
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
     .summary = "all chains of a device (beside --protocol glat, of a region) in lock-step, as three "
                "launches for each step of all",
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
