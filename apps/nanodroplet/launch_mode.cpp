// SPDX-License-Identifier: Apache-2.0
#include "launch_mode.hpp"

#include <utility>
#include <vector>

#include "ballast/base/argument_text.hpp"
#include "kernels.hpp"
#include "queue_launcher.hpp"
#include "reference_launcher.hpp"
#include "stream_launcher.hpp"

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

class stream_source final : public launcher_source {
 public:
  stream_source(chain_size size, device_list devices) : size_(size), devices_(std::move(devices)) {}
  std::unique_ptr<chain_launcher> make(std::size_t chain) override {
    return std::make_unique<stream_launcher>(devices_[chain % devices_.size()], size_);
  }

 private:
  chain_size size_;
  device_list devices_;
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
  return std::make_unique<stream_source>(size_of_chains(plan), devices);
}
source open_reference(sampling_plan const& plan, device_list const&, launch_options const&) {
  return std::make_unique<reference_source>(size_of_chains(plan));
}

constexpr launch_mode modes[] = {
    {"queue", "a launch queue, two producers for each chain", true, true, &open_queue},
    {"streams", "two streams for each chain, launched by the threads that drive the chains", true, false,
     &open_streams},
    {"reference", "no device: another program for the same forces, on the threads that drive the chains",
     false, false, &open_reference},
};

}  // namespace

std::span<launch_mode const> launch_modes() { return modes; }

launch_mode const& launch_mode_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& mode : modes) names.push_back(mode.name);
  return modes[place_among(names, "launch", name)];
}

}  // namespace ballast::nanodroplet
