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
  return {plan.system.waters, plan.system.has_solute ? m12::beads : 0, plan.settings.time_step};
}

class reference_source final : public launcher_source {
 public:
  explicit reference_source(chain_size size) : size_(size) {}
  std::unique_ptr<chain_launcher> make(std::size_t) override {
    return std::make_unique<reference_launcher>(size_.waters, size_.beads, size_.time_step);
  }

 private:
  chain_size size_;
};

/// A Launcher for each chain that knows of no other.
template <class Launcher>
class separate_source final : public launcher_source {
 public:
  separate_source(chain_size size, device_list devices) : size_(size), devices_(std::move(devices)) {}
  std::unique_ptr<chain_launcher> make(std::size_t chain) override {
    return std::make_unique<Launcher>(devices_[chain % devices_.size()], size_);
  }

 private:
  chain_size size_;
  device_list devices_;
};

class batch_source final : public launcher_source {
 public:
  batch_source(chain_size size, device_list const& devices, std::size_t chains) {
    for (std::size_t place = 0; place < std::min(chains, devices.size()); ++place) {
      auto const of_device = (chains - place - 1) / devices.size() + 1;
      batches_.push_back(std::make_shared<chain_batch>(devices[place], size, of_device));
    }
  }
  std::unique_ptr<chain_launcher> make(std::size_t chain) override {
    return std::make_unique<batch_launcher>(batches_[chain % batches_.size()], chain / batches_.size());
  }

 private:
  std::vector<std::shared_ptr<chain_batch>> batches_;  ///< by device
};

class queue_source final : public launcher_source {
 public:
  queue_source(chain_size size, device_list const& devices, launch_options const& options)
      : size_(size),
        devices_(devices),
        queue_(std::make_shared<launch_queue>(devices, droplet_kernels(), options)) {}
  std::unique_ptr<chain_launcher> make(std::size_t chain) override {
    std::size_t const place = chain % devices_.size();
    return std::make_unique<queue_launcher>(queue_, place, devices_[place], size_);
  }
  std::optional<launch_statistics> statistics() const override { return queue_->statistics(); }

 private:
  chain_size size_;
  device_list devices_;
  std::shared_ptr<launch_queue> queue_;
};

using source = std::unique_ptr<launcher_source>;

source open_queue(sampling_plan const& plan, device_list const& devices, launch_options const& options) {
  return std::make_unique<queue_source>(size_of_chains(plan), devices, options);
}
source open_streams(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  return std::make_unique<separate_source<stream_launcher>>(size_of_chains(plan), devices);
}
source open_graphs(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  for (auto const& device : devices)
    if (!device->is_cuda())
      throw_bad_argument("devices", device->name(),
                         "GPUs beside --launch graphs: CPU cores run no CUDA graphs");
  return std::make_unique<separate_source<graph_launcher>>(size_of_chains(plan), devices);
}
source open_batches(sampling_plan const& plan, device_list const& devices, launch_options const&) {
  return std::make_unique<batch_source>(size_of_chains(plan), devices,
                                        std::size_t(plan.conformers) * plan.chains);
}
source open_reference(sampling_plan const& plan, device_list const&, launch_options const&) {
  return std::make_unique<reference_source>(size_of_chains(plan));
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
